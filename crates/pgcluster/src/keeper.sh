# Waits until the test process is gone or done, ends whatever works in the folder $1, and removes it.
folder=$1
trap '' HUP INT TERM
cat >/dev/null # ends with the test process, however that ends

workers() {
  find /proc -maxdepth 2 -name cwd -lname "$folder*" 2>/dev/null | cut -d/ -f3
}

# initdb ends by itself and soon; killed, its server would leave shared memory.
while [ -n "$(workers | sed 's|.*|/proc/&/comm|' | xargs -r grep -lx initdb 2>/dev/null)" ]; do sleep 0.1; done

tries=0
while pids=$(workers) && [ -n "$pids" ]; do
  # QUIT is PostgreSQL's immediate shutdown: it gives back its shared memory.
  if [ "$tries" -lt 50 ]; then signal=QUIT; else signal=KILL; fi
  kill -s "$signal" $pids 2>/dev/null
  tries=$((tries + 1))
  sleep 0.1
done

# A server that was killed has left its lock file and the segment of shared memory that the file names.
if [ -f "$folder/data/postmaster.pid" ]; then
  segment=$(sed -n 7p "$folder/data/postmaster.pid" | awk '{ print $2 }')
  [ -z "$segment" ] || ipcrm -m "$segment" 2>/dev/null
fi
rm -rf "$folder"
