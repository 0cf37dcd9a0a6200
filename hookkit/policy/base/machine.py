"""The machine below the project: power, users, services, packages, firewall, start-up files."""

from hookkit.policy.base.table import each, rules

_STARTUP = (
    "~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases ~/.profile ~/.zshrc ~/.zprofile ~/.zshenv"
    " ~/.zlogin ~/.zlogout ~/.config/fish/config.fish ~/.config/fish/conf.d/* ~/.xprofile ~/.xinitrc ~/.pam_environment"
)
_AUTOSTART = (
    "~/Library/LaunchAgents/* /Library/LaunchAgents/* /Library/LaunchDaemons/* ~/.config/systemd/user/*"
    " ~/.config/autostart/* /etc/systemd/system/* /lib/systemd/system/* /etc/init.d/* /etc/rc.local"
)
_CRON = "/etc/cron* /etc/anacrontab /var/spool/cron/* /var/at/tabs/* /usr/lib/cron/*"
_ACCOUNTS = "userdel deluser useradd adduser usermod groupdel groupadd gpasswd chpasswd visudo chsh passwd"
_SYSTEM = "/etc/* /usr/* /boot/* /bin/* /sbin/* /lib/* /lib64/* /System/* /Library/* /sys/* /proc/sys/*"
_VERSION = "Bash(* --version *)"
_SETUID = "u+s +s ug+s u+xs u+sx a+s 4755 04755 4777 4711 4750 4555 4775 4770 4511 6755 06755 6777 6711 6750"
_SIMULATE = "Bash(pacman -h *)\nBash(* --simulate *)\nBash(apt-get -s *)\nBash(apt -s *)\nBash(rpm --test *)"

RULES = [
    *rules("machine.power-off", "deny", "This shuts down or restarts the machine.",
           each("Bash({} *)", "shutdown reboot halt poweroff")
           + each("Bash(systemctl {} *)", "poweroff reboot halt kexec") + """
        Bash(init 0)
        Bash(init 6)
        Bash(telinit 0)
        Bash(telinit 6)
        Write(/proc/sysrq-trigger)
        """, unless=f"Bash(shutdown -c *)\nBash(shutdown --show *)\n{_VERSION}"),
    *rules("machine.kill-all", "deny", "This ends every process that you may end, your session included.", """
        Bash(kill * every-process *)
        Bash(killall5 *)
        """, runs=True),
    *rules("machine.kill-init", "ask", "This ends the first process, and with it the system or the container.",
           "Bash(kill 1)\nBash(kill -s ** 1)", runs=True),
    *rules("machine.kill-by-name", "ask", "This ends every process of a name or a user, not only those of the project.",
           "Bash(killall *)\nBash(pkill -9 *)\nBash(pkill -KILL *)\nBash(pkill -u *)",
           unless="Bash(killall -l)\nBash(killall --help)"),
    *rules("machine.firewall", "ask", "This drops or opens the firewall of the machine.",
           each("Bash({} -F *)\nBash({} -X *)\nBash({} -P *)", "iptables ip6tables") + """
        Bash(nft flush *)
        Bash(nft delete *)
        Bash(ufw * disable *)
        Bash(ufw * reset *)
        Bash(pfctl -d *)
        Bash(pfctl -F *)
        Bash(firewall-cmd --panic-on *)
        Bash(firewall-cmd --remove-* *)
        """, runs=True),
    *rules("machine.network", "ask", "This takes the machine, or a part of its network, off line.", """
        Bash(ifconfig ** down *)
        Bash(ifconfig ** delete *)
        Bash(ifdown *)
        Bash(ip * down *)
        Bash(ip * flush *)
        Bash(ip * del *)
        Bash(ip * delete *)
        Bash(route * del *)
        Bash(route * delete *)
        Bash(route * flush *)
        Bash(nmcli networking off)
        Bash(nmcli radio ** off)
        Bash(nmcli device disconnect *)
        Bash(nmcli connection delete *)
        Bash(networksetup -setnetworkserviceenabled *)
        Bash(dhclient -r *)
        """, runs=True),
    *rules("machine.security", "ask", "This switches off a protection of the operating system.", """
        Bash(setenforce 0)
        Bash(setenforce Permissive)
        Bash(csrutil disable *)
        Bash(spctl --master-disable *)
        Bash(spctl --global-disable *)
        Bash(aa-teardown *)
        Bash(aa-disable *)
        Bash(auditctl -D *)
        Bash(auditctl -e 0 *)
        """),
    *rules("machine.setuid", "ask", "This lets every user run a file with more rights than their own.",
           each("Bash(chmod {} *)", _SETUID) + """
        Bash(install -m 4755 *)
        Bash(install --mode=4755 *)
        Bash(setcap *)
        """, runs=True),
    *rules("machine.users", "ask", "This changes user accounts or passwords of the machine.",
           each("Bash({} *)", _ACCOUNTS),
           unless=f"Bash(passwd -S *)\nBash(passwd --status *)\nBash(visudo -V)\nBash(visudo -c *)\n{_VERSION}"),
    *rules("machine.cron", "ask", "This changes jobs that run later by themselves.",
           "Bash(crontab *)", unless="Bash(crontab -l *)\nBash(crontab -V *)"),
    *rules("machine.cron", "ask", "This changes jobs that run later by themselves.",
           each("Write|Edit({})\nDelete({})", _CRON)),
    *rules("machine.autostart", "ask", "This installs or changes a program that starts by itself.",
           each("Write|Edit({})", _AUTOSTART)),
    *rules("machine.startup-files", "ask", "This changes a file that every new shell or session runs.",
           each("Write|Edit({})", _STARTUP)),
    *rules("machine.system-files", "ask", "This changes files of the operating system.",
           each("Write|Edit({})", _SYSTEM), unless="Write(/etc/bash_completion.d/*)"),
    *rules("machine.mounts", "ask", "This detaches disks or swap space of the machine.",
           "Bash(umount -a *)\nBash(swapoff -a *)"),
    *rules("machine.kernel", "ask", "This changes the running kernel, or how the machine starts.",
           each("Bash({} *)", "rmmod insmod kexec grub-install update-grub")
           + each("Bash(efibootmgr {} *)", "-B -c -o -O -n") + "Bash(modprobe -r *)\nBash(sysctl -w *)",
           unless=_VERSION),
    *rules("machine.services", "ask", "This stops or switches off a service of the machine.",
           each("Bash(systemctl {} *)", "stop disable mask kill isolate rescue emergency")
           + each("Bash(launchctl {} *)", "unload bootout remove disable kill stop")
           + """
        Bash(service ** stop)
        Bash(rc-service ** stop)
        Bash(supervisorctl stop *)
        Bash(nginx -s stop)
        Bash(nginx -s quit)
        Bash(apachectl stop)
        Bash(pg_ctl * stop *)
        Bash(mysqladmin * shutdown *)
        Bash(rabbitmqctl * stop *)
        """),
    *rules("machine.logs", "ask", "This changes or deletes logs of the machine.",
           each("Write|Edit({})\nDelete({})", "/var/log/* /private/var/log/*") + each("Bash(journalctl {} *)",
           "--vacuum-time=* --vacuum-size=* --vacuum-files=*")),
    *rules("machine.packages", "ask", "This removes software from the machine.",
           each("Bash({} remove *)\nBash({} purge *)\nBash({} autoremove *)", "apt apt-get")
           + each("Bash({} remove *)\nBash({} erase *)", "yum dnf zypper snap")
           + each("Bash(brew {} *)", "uninstall remove rm") + """
        Bash(apk del *)
        Bash(rpm -e *)
        Bash(dpkg -r *)
        Bash(dpkg -P *)
        Bash(pacman -R *)
        Bash(pkg delete *)
        Bash(pkg remove *)
        Bash(port uninstall *)
        Bash(flatpak uninstall *)
        Bash(flatpak remove *)
        Bash(xbps-remove *)
        Bash(nix-env -e *)
        """, unless=_SIMULATE),
    *rules("machine.container-host", "ask", "This lets a container change the machine.", each("""
        Bash({} run --privileged *)
        Bash({} create --privileged *)
        Bash({} run --pid=host *)
        Bash({} run --cap-add=ALL *)
        Bash({} run --cap-add * ALL *)
        Bash({} run * /:* *)
        Bash({} create * /:* *)
        Bash({} run * /etc:* *)
        Bash({} run * /root:* *)
        Bash({} run --volume=/:* *)
        Bash({} run * *docker.sock* *)
        Bash({} create * *docker.sock* *)
        Bash({} run --volume=*docker.sock* *)
        Bash({} run --mount=*docker.sock* *)
        Bash({} run * *src=/,* *)
        Bash({} run * *source=/,* *)
        Bash({} run * *src=/ *)
        Bash({} run * *source=/ *)
        """, "docker podman nerdctl"), runs=True),
    *rules("machine.as-administrator", "ask", "This runs with the rights of another user or of the administrator.",
           each("Bash({} *)", "sudo doas su pkexec run0"),
           unless=each("Bash(sudo {})\nBash(su {})", "--version --help -V -h")
           + each("Bash(sudo {} *)", "lsof lsblk blkid") + """
        Bash(sudo sgdisk -p *)
        Bash(sudo sgdisk -v *)
        Bash(sudo sgdisk -b *)
        Bash(sudo sfdisk -d *)
        Bash(sudo sfdisk -l *)
        Bash(sudo fdisk -l *)
        Bash(sudo parted -l)
        """, runs=True),
]  # fmt: skip
