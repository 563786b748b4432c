#!/bin/sh
# Installs, upgrades and purges the packages /old.deb and /new.deb of this empty Debian system. Where systemd runs, the
# service is used too.
set -eux
has_systemd() { [ -d /run/systemd/system ]; }
users() { setpriv --reuid trackway --regid trackway --clear-groups trackway user list --data /var/lib/trackway; }

dpkg -i /old.deb
getent passwd trackway
[ -L /etc/systemd/system/multi-user.target.wants/trackway.service ]
[ "$(stat -c %a /etc/default/trackway)" = 600 ]
cat >> /etc/default/trackway <<'END'
TRACKWAY_PORT=443
TRACKWAY_ADMIN_EMAIL=me@example.com
TRACKWAY_ADMIN_PASSWORD=a-package-is-installed
END
if has_systemd; then
  trackway health
  systemctl restart trackway.service
  trackway health --port 443
  before=$(systemctl show --property MainPID --value trackway.service)
  [ "$(stat -c %U /proc/$before)" = trackway ]
  [ "$(stat -c %U:%a /var/lib/trackway)" = trackway:700 ]
  users | grep me@example.com
fi

dpkg -i /new.deb
grep -q TRACKWAY_PORT=443 /etc/default/trackway
if has_systemd; then
  trackway health --port 443
  [ "$(systemctl show --property MainPID --value trackway.service)" != "$before" ]
  users | grep me@example.com
  journalctl --unit trackway.service --output cat | tail -n 20
fi

dpkg --remove trackway
[ -f /etc/default/trackway ]
if has_systemd; then
  [ -d /var/lib/trackway ]
  if systemctl is-active trackway.service; then exit 1; fi
fi
dpkg --purge trackway
for path in /usr/lib/trackway /var/lib/trackway /var/cache/trackway /etc/default/trackway /etc/systemd/system/multi-user.target.wants/trackway.service; do
  [ ! -e "$path" ]
done
if getent passwd trackway; then exit 1; fi
echo done > /result
