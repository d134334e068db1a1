#!/bin/sh
# Shows on the channel "units" that a systemd unit failed, red until a person marks it as seen.
# tallydeck-failed@.service runs it with the unit's name. Needs curl, TALLYDECK_URL (the Web UI's
# address, like http://tallydeck.local:3000) and TALLYDECK_PUSH_TOKEN.
set -eu

# Names of units may have backslashes, which JSON wants doubled.
unit=$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')
# systemd 251 and newer give the result of the unit.
result=${MONITOR_SERVICE_RESULT:-failed}

curl --fail --silent --show-error --max-time 10 --output /dev/null \
  --header "Authorization: Bearer $TALLYDECK_PUSH_TOKEN" \
  --header "Content-Type: application/json" \
  --data "{\"text\": \"$unit\\n$result\", \"status\": \"fail\", \"hold\": true, \"id\": \"$unit\"}" \
  "$TALLYDECK_URL/api/push/units"
