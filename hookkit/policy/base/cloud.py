"""Accounts and infrastructure of a team: cloud providers, clusters, deployments, code hosts."""

from hookkit.policy.base.table import HELP, each, rules

_LOCAL = "localhost 127.0.0.1 http://localhost http://127.0.0.1 https://localhost https://127.0.0.1"
_SERVICES = (
    "stripe circleci apigeecli supabase auth0 databricks sentry-cli cloudflared ldcli flipt pd newrelic"
    " datadog-ci square"
)

RULES = [
    *rules("cloud.aws-delete", "ask", "This deletes something in your AWS account.", """
        Bash(aws s3 rb *)
        Bash(aws s3 rm --recursive *)
        Bash(aws s3 sync --delete *)
        Bash(aws * delete-* *)
        Bash(aws * batch-delete-* *)
        Bash(aws * terminate-* *)
        Bash(aws * purge-* *)
        Bash(aws * deregister-* *)
        Bash(aws * schedule-key-deletion *)
        Bash(aws organizations close-account *)
        """, unless="Bash(* --dryrun *)\nBash(aws * help)"),
    *rules("cloud.dns", "ask", "This changes DNS records that others rely on.", """
        Bash(aws route53 change-resource-record-sets *)
        Bash(gcloud dns record-sets delete *)
        Bash(flarectl dns delete *)
        Bash(nsupdate *)
        """),
    *rules("cloud.gcp-delete", "ask", "This deletes something in your Google Cloud account.", """
        Bash(gcloud * delete *)
        Bash(gcloud * destroy *)
        Bash(gcloud storage rm *)
        Bash(gsutil * rm *)
        Bash(gsutil * rb *)
        Bash(gsutil * rsync -d *)
        """, unless="Bash(gsutil * rsync -n *)"),
    *rules("cloud.azure-delete", "ask", "This deletes something in your Azure account.", """
        Bash(az * delete *)
        Bash(az * delete-* *)
        Bash(az * purge *)
        """, unless=HELP),
    *rules("cloud.provider-delete", "ask", "This deletes something in your account at a cloud provider.",
           each("Bash({} * delete *)\nBash({} * rm *)",
                "doctl hcloud linode-cli vultr-cli ibmcloud civo exo upctl") + each("""
        Bash({} * delete *)
        Bash({} * terminate *)
        """, "oci scw"), unless=HELP),
    *rules("cloud.hosting-delete", "ask", "This takes down or deletes something at your hosting provider.",
           each("Bash({} * destroy *)", "fly flyctl") + each("""
        Bash(vercel * {} *)
        """, "remove rm") + each("Bash({} * delete *)", "wrangler netlify fastly railway render") + """
        Bash(heroku *:destroy *)
        Bash(heroku *:remove *)
        Bash(heroku *:delete *)
        Bash(heroku destroy *)
        Bash(heroku config:unset *)
        Bash(heroku keys:clear *)
        Bash(heroku ps:stop *)
        Bash(netlify sites:delete *)
        Bash(netlify env:unset *)
        Bash(railway down *)
        Bash(firebase hosting:disable *)
        Bash(firebase functions:delete *)
        Bash(firebase projects:delete *)
        Bash(amplify delete *)
        Bash(eb terminate *)
        """, unless=HELP),
    *rules("cloud.service-delete", "ask", "This deletes something at an online service that others may use.",
           each("Bash({} * delete *)", _SERVICES) + """
        Bash(circleci context remove-secret *)
        Bash(deck reset *)
        Bash(deck sync *)
        Bash(deck gateway reset *)
        Bash(deck gateway sync *)
        Bash(jenkins-cli * delete-* *)
        Bash(gitlab-runner unregister *)
        Bash(java -jar * delete-* *)
        """, unless=HELP),
    *rules("cloud.secrets-delete", "ask", "This deletes or revokes secrets, or switches a store of secrets off.",
           each("Bash(vault * {} *)", "delete destroy disable revoke seal")
           + each("Bash({} * delete *)", "op doppler infisical") + "Bash(pass rm *)", unless=HELP),
    *rules("cloud.github-delete", "ask", "This deletes, archives or switches off something on GitHub or GitLab.", """
        Bash(gh repo delete *)
        Bash(gh * delete *)
        Bash(gh secret remove *)
        Bash(gh variable remove *)
        Bash(gh repo archive *)
        Bash(gh workflow disable *)
        Bash(glab * delete *)
        """, unless=f"Bash(gh cache delete *)\n{HELP}"),
    *rules("cloud.merge-past-checks", "ask", "This merges although the required checks or reviews are missing.",
           "Bash(gh pr merge --admin *)"),
    *rules("cloud.api-delete", "ask", "This asks a server to delete something.",
           each("Bash(gh api -X {} *)\nBash(glab api -X {} *)\nBash(curl -X {} *)", "DELETE delete")
           + each("Bash({} DELETE *)\nBash({} delete *)", "http https xh"),
           unless=each("Bash(* {} *)\nBash(* {}/* *)\nBash(* {}:* *)", _LOCAL)),
    *rules("cluster.delete", "ask", "This deletes or stops something in a cluster that others may use.", """
        Bash(kubectl delete *)
        Bash(kubectl drain *)
        Bash(kubectl scale --replicas=0 *)
        Bash(kubectl scale --replicas * 0 *)
        Bash(kubectl replace --force *)
        Bash(kubectl apply --prune *)
        Bash(oc delete *)
        Bash(oc adm drain *)
        Bash(helm uninstall *)
        Bash(helm delete *)
        Bash(helmfile * destroy *)
        Bash(helmfile * delete *)
        Bash(argocd * delete *)
        Bash(flux uninstall *)
        Bash(flux delete *)
        Bash(istioctl uninstall *)
        Bash(linkerd uninstall *)
        Bash(kubeadm reset *)
        Bash(nomad job stop -purge *)
        """, unless=HELP),
    *rules("cluster.remove", "ask", "This deletes a whole cluster.", "Bash(eksctl delete *)\nBash(kops delete *)",
           unless=HELP),
    *rules("infra.destroy", "ask", "This destroys running infrastructure.",
           each("Bash({} destroy *)", "terraform tofu terragrunt cdk cdktf pulumi helmfile") + """
        Bash(terragrunt * destroy *)
        Bash(pulumi stack rm *)
        Bash(serverless remove *)
        Bash(sls remove *)
        Bash(sam delete *)
        Bash(sst remove *)
        Bash(copilot * delete *)
        Bash(terraform workspace delete *)
        Bash(tofu workspace delete *)
        """, unless=f"Bash(* -help *)\n{HELP}"),
    *rules("infra.apply", "ask", "This changes running infrastructure.",
           each("Bash({} apply *)", "terraform tofu") + "\nBash(terragrunt * apply *)\nBash(pulumi up *)",
           unless=f"Bash(* -help *)\n{HELP}"),
    *rules("infra.state", "ask", "This changes the record of infrastructure, or takes away its lock.",
           each("Bash({} state rm *)\nBash({} state mv *)\nBash({} force-unlock *)", "terraform tofu"),
           unless=f"Bash(* -help *)\n{HELP}"),
]  # fmt: skip
