#!/bin/sh
# Starts everything in docker/compose.yaml, and waits until it is healthy. The first time it makes docker/.env with fresh
# secrets. Arguments go to `docker compose`, as `--profile monitoring` does.
set -eu
cd "$(dirname "$0")"

secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

if [ ! -e .env ]; then
  (
    umask 077
    sed -E "s/^([A-Z_]+)=$/\1=@/" .env.example |
      while IFS= read -r line; do
        case "$line" in
          *=@) printf '%s%s\n' "${line%@}" "$(secret)" ;;
          *) printf '%s\n' "$line" ;;
        esac
      done >.env.new
    mv .env.new .env
  )
  echo 'Made docker/.env with fresh secrets: keep a copy of API_KEY_PEPPER.'
fi

exec docker compose -f compose.yaml "$@" up --build --detach --wait
