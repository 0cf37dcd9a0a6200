"""Data outside the repository: databases, queues, volumes, backups."""

from hookkit.policy.base.table import each, rules

_CONTAINERS = "docker podman nerdctl"

RULES = [
    *rules("data.container-volumes", "ask", "This deletes volumes with the data in them.", each("""
        Bash({} volume rm *)
        Bash({} volume remove *)
        Bash({} volume prune *)
        Bash({} compose down -v *)
        Bash({} compose rm -v *)
        Bash({} system prune --volumes *)
        Bash({} system reset *)
        """, _CONTAINERS) + """
        Bash(docker-compose down -v *)
        Bash(docker-compose rm -v *)
        """),
    *rules("data.container-prune", "ask", "This deletes every container, network and image that is not in use.",
           each("Bash({} system prune *)", _CONTAINERS)),
    *rules("data.sql-drop", "ask", "This query drops tables, columns or whole databases with their data.",
           "Bash(sql drop *)\nBash(sql alter *)"),
    *rules("data.sql-all-rows", "ask", "This query deletes or changes every row of a table.",
           "Bash(sql truncate *)\nBash(sql delete *)\nBash(sql update *)"),
    *rules("data.containers-all", "ask", "This stops or removes every container or image on the machine.",
           each("""
        Bash({} rm * every-container *)
        Bash({} stop * every-container *)
        Bash({} kill * every-container *)
        Bash({} container ** * every-container *)
        Bash({} rmi * every-image *)
        Bash({} image rm * every-image *)
        """, _CONTAINERS)),
    *rules("data.container-swarm", "ask", "This takes down services of a cluster, or deletes their secrets.", """
        Bash(docker swarm leave --force *)
        Bash(docker stack rm *)
        Bash(docker service rm *)
        Bash(docker secret rm *)
        """),
    *rules("data.database-drop", "ask", "This drops a database, its tables or its users.", """
        Bash(dropdb *)
        Bash(dropuser *)
        Bash(mysqladmin * drop *)
        Bash(typeorm schema:drop *)
        Bash(mikro-orm schema:drop *)
        Bash(mikro-orm schema:fresh *)
        Bash(mix ecto.drop *)
        Bash(flyway * clean *)
        Bash(liquibase * drop-all *)
        Bash(liquibase * dropAll *)
        Bash(dbmate * drop *)
        Bash(migrate * drop *)
        Bash(sqlx database drop *)
        Bash(dotnet ef database drop *)
        Bash(wp db drop *)
        Bash(drush sql-drop *)
        Bash(drush sql:drop *)
        """ + each("Bash({} db:drop *)\nBash({} db:drop:all *)", "rails rake sequelize sequelize-cli")
           + each("Bash({} doctrine:database:drop *)\nBash({} doctrine:schema:drop *)", "console symfony")
           + each("Bash(php * doctrine:{}:drop *)", "database schema")),
    *rules("data.database-reset", "ask", "This empties the database, or takes its migrations back.", each("""
        Bash({} db:reset *)
        Bash({} db:purge *)
        Bash({} db:migrate:reset *)
        Bash({} db:truncate_all *)
        Bash({} db:schema:load *)
        Bash({} db:seed:replant *)
        """, "rails rake") + each("""
        Bash({} runner * *destroy_all* *)
        Bash({} runner * *delete_all* *)
        """, "rails gitlab-rails")
           + each("Bash({} * flush *)\nBash({} * reset_db *)", "manage.py django-admin")
           + each("Bash({} manage.py flush *)\nBash({} manage.py reset_db *)", "python python3")
           + each("Bash(php artisan {} *)", "migrate:fresh migrate:refresh migrate:reset db:wipe")
           + each("Bash({} db:migrate:undo:all *)", "sequelize sequelize-cli") + """
        Bash(prisma migrate reset *)
        Bash(prisma db push --force-reset *)
        Bash(prisma db push --accept-data-loss *)
        Bash(drizzle-kit push --force *)
        Bash(knex migrate:rollback --all *)
        Bash(mix ecto.reset *)
        Bash(alembic * downgrade base *)
        Bash(goose * reset *)
        Bash(diesel database reset *)
        Bash(supabase db reset *)
        Bash(wp db reset *)
        Bash(rabbitmqctl * reset *)
        Bash(rabbitmqctl * force_reset *)
        Bash(kong migrations reset *)
        """),
    *rules("data.database-restore", "ask", "This drops the tables that are there before it restores others.",
           "Bash(pg_restore --clean *)\nBash(mongorestore --drop *)"),
    *rules("data.cache-flush", "ask", "This deletes all keys of a Redis database, or stops it.",
           each("Bash(redis-cli * {} *)\nBash(valkey-cli * {} *)",
                "flushall FLUSHALL FlushAll flushdb FLUSHDB FlushDB shutdown SHUTDOWN")),
    *rules("data.queues", "ask", "This deletes queues, topics or streams, their messages or their offsets.", """
        Bash(kafka-topics --delete *)
        Bash(kafka-topics.sh --delete *)
        Bash(kafka-consumer-groups --delete *)
        Bash(kafka-consumer-groups.sh --delete *)
        Bash(kafka-consumer-groups --reset-offsets --execute *)
        Bash(kafka-consumer-groups.sh --reset-offsets --execute *)
        Bash(kafka-delete-records *)
        Bash(kafka-delete-records.sh *)
        Bash(rabbitmqctl * delete_* *)
        Bash(rabbitmqctl * purge_queue *)
        Bash(rabbitmqctl * forget_cluster_node *)
        Bash(rabbitmqadmin * delete *)
        Bash(rabbitmqadmin * purge *)
        Bash(rpk * delete *)
        """ + each("Bash(nats * {} *)", "rm delete del purge")),
    *rules("data.search-index", "ask", "This deletes documents or a whole index of a search engine.", """
        Bash(curl * *_delete_by_query* *)
        Bash(algolia * delete *)
        Bash(algolia * clear *)
        Bash(splunk clean *)
        Bash(splunk remove *)
        """),
    *rules("data.key-value", "ask", "This deletes many keys at once.", """
        Bash(etcdctl * del --prefix *)
        Bash(etcdctl * del --from-key *)
        Bash(consul kv delete -recurse *)
        """),
    *rules("data.hosted-database", "ask", "This deletes a hosted database or data in it.", """
        Bash(firebase firestore:delete *)
        Bash(firebase database:remove *)
        Bash(bq rm *)
        Bash(bq * rm *)
        Bash(heroku pg:reset *)
        Bash(supabase projects delete *)
        Bash(turso * destroy *)
        Bash(influx * delete *)
        """ + each("Bash({} * delete *)", "neonctl pscale atlas")),
    *rules("data.backups", "ask", "This deletes backups or the way to read them.", """
        Bash(restic * forget *)
        Bash(restic * prune *)
        Bash(restic * key remove *)
        Bash(borg * delete *)
        Bash(borg * prune *)
        Bash(borg * recreate *)
        Bash(borg * rdelete *)
        Bash(borg * repo-delete *)
        Bash(velero * delete *)
        Bash(velero uninstall *)
        Bash(kopia * delete *)
        Bash(pgbackrest * stanza-delete *)
        Bash(pgbackrest * expire *)
        Bash(wal-g * delete *)
        Bash(barman * delete *)
        Bash(duplicity remove-* *)
        Bash(duplicacy prune *)
        Bash(timeshift --delete *)
        Bash(timeshift --delete-all *)
        Bash(snapper * delete *)
        Bash(tmutil delete *)
        Bash(tmutil deletelocalsnapshots *)
        Bash(tmutil disable *)
        """, unless="Bash(restic * -n *)\nBash(borg * -n *)"),
    *rules("data.machines", "ask", "This deletes a virtual machine with its disk.", """
        Bash(vagrant destroy *)
        Bash(virsh * undefine *)
        Bash(virsh * destroy *)
        Bash(virsh * vol-delete *)
        Bash(multipass delete *)
        Bash(lxc delete *)
        Bash(incus delete *)
        Bash(VBoxManage unregistervm --delete *)
        Bash(govc vm.destroy *)
        Bash(qm destroy *)
        Bash(pct destroy *)
        """),
    *rules("data.remote-files", "ask", "This deletes files on another machine or in a storage bucket.", """
        Bash(rclone * purge *)
        Bash(rclone * delete *)
        Bash(rclone * deletefile *)
        Bash(rclone * rmdir *)
        Bash(rclone * rmdirs *)
        Bash(rclone * sync *)
        Bash(rclone * cleanup *)
        Bash(rclone * dedupe *)
        Bash(mc * rb *)
        Bash(mc * rm *)
        Bash(mc mirror --remove *)
        Bash(mc admin bucket delete *)
        Bash(mc admin bucket remove *)
        Bash(azcopy remove *)
        Bash(azcopy rm *)
        Bash(azcopy sync --delete-destination *)
        Bash(s3cmd del *)
        Bash(s3cmd rb *)
        Bash(s3cmd sync --delete-removed *)
        Bash(ansible * *state=absent* *)
        """, unless="Bash(rclone * -n *)\nBash(ansible * --check *)\nBash(ansible * -C *)"),
]  # fmt: skip
