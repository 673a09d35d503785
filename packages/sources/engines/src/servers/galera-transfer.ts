/**
 * Script that copies the data of one node to another node in the same folder. Galera calls it on both sides; Galera's
 * own scripts need rsync or other programs, and a user other than root.
 */
export const TRANSFER = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --role) role=$2; shift ;;
    --address) address=$2; shift ;;
    --datadir) data=\${2%/}; shift ;;
    --gtid) gtid=$2; shift ;;
    --gtid-domain-id) domain=$2; shift ;;
    --bypass) bypass=yes ;;
  esac
  shift
done
port=\${address##*:}
meeting=$(dirname "$data")/transfer-\${port%%/*}

if [ "$role" = joiner ]; then
  rm -f "$meeting"
  echo "$data" >"$meeting.to"
  echo "ready $address/isolab"
  until [ -f "$meeting" ]; do sleep 0.05; done
  cat "$meeting"
  exit
fi

if [ "$bypass" = yes ]; then
  state="$gtid $domain"
else
  echo 'flush tables'
  until [ -s "$data/tables_flushed" ]; do sleep 0.05; done
  state=$(cat "$data/tables_flushed")
  rm -f "$data/tables_flushed"
  to=$(cat "$meeting.to")
  for each in "$data"/*; do
    case \${each##*/} in galera.cache | grastate.dat | gvwstate.dat | tables_flushed | *.pid) continue ;; esac
    rm -rf "$to/\${each##*/}"
    cp -a "$each" "$to/" || exit 32
  done
fi
echo continue
echo "$state" >"$meeting.new" && mv "$meeting.new" "$meeting"
echo "done $state"
`;
