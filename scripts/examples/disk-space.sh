#!/bin/sh
# Shows how full the root disk is on the channel "disk"; red from 90 % on.
# Needs curl, TALLYDECK_URL (the Web UI's address, like http://tallydeck.local:3000) and TALLYDECK_PUSH_TOKEN.
set -eu

percent=$(df -P / | awk 'NR == 2 { sub("%", "", $5); print $5 }')
background="#000000"
if [ "$percent" -ge 90 ]; then background="#a00000"; fi

curl --fail --silent --show-error --max-time 10 --output /dev/null \
  --header "Authorization: Bearer $TALLYDECK_PUSH_TOKEN" \
  --header "Content-Type: application/json" \
  --data "{\"text\": \"disk\\n$percent %\", \"ttl\": 900, \"background\": \"$background\"}" \
  "$TALLYDECK_URL/api/push/disk"
