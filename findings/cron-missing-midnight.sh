#!/usr/bin/env bash
# The schedule of a CronJob is computed by robfig/cron, and it leaves out a whole day of the week where that day has no midnight. In
# Cairo the clocks go from 00:00 to 01:00 on the last Friday of April: a job of Fridays at noon, nine hours after the change was over,
# does not run in that week, and neither does one of Sundays in Beirut at the end of March. West of Greenwich, where other zones change
# at midnight (Havana, Santiago), nothing is left out, nor is it by a schedule of every day, whose day of the week nobody asks for.
#
# What JavaScript's libraries for the same five fields do is not the same in three more places. The hour that is there twice in autumn
# has two runs in robfig/cron and one in both of them; the one that is missing in spring has none in robfig/cron, one at 03:00 in
# croner, and one at 03:30 in cron-parser; and Sunday as 7, which they take, is an error.
#
# What this printed, with Go 1.26.8 and Node.js 20.20.2, when it was written, is at the end.
#
# Exits with 1 when one of them computes otherwise, and with 2 when it cannot be had. Needs Go, npm and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  croner@11.0.1 cron-parser@5.10.6 >/dev/null || { echo 'the libraries cannot be installed'; exit 2; }

# The schedules: a time, a zone, five fields.
cat >schedules <<'SCHEDULES'
2027-04-28T00:00:00Z Africa/Cairo 0 12 * * 5
2027-03-26T00:00:00Z Asia/Beirut 0 12 * * 0
2027-03-26T00:00:00Z Asia/Beirut 0 12 * * *
2027-03-12T00:00:00Z America/Havana 0 12 * * 0
2027-11-06T12:00:00Z America/New_York 30 1 * * *
2027-03-13T12:00:00Z America/New_York 30 2 * * *
2027-03-13T12:00:00Z America/New_York 0 12 * * 7
SCHEDULES

cat >main.go <<'PROGRAM'
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		after, err := time.Parse(time.RFC3339, fields[0])
		if err != nil {
			panic(err)
		}
		zone, err := time.LoadLocation(fields[1])
		if err != nil {
			panic(err)
		}
		schedule, err := cron.ParseStandard("TZ=" + fields[1] + " " + fields[2])
		if err != nil {
			fmt.Printf("%s %s: an error\n", fields[1], fields[2])
			continue
		}
		due := []string{}
		for len(due) < 2 {
			after = schedule.Next(after)
			due = append(due, after.In(zone).Format("Mon 2 Jan 15:04 -07"))
		}
		fmt.Printf("%s %s: %s\n", fields[1], fields[2], strings.Join(due, ", "))
	}
}
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from 'node:fs';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

const libraries = {
  croner: (fields, zone, after) => new Cron(fields, { timezone: zone }).nextRuns(2, after),
  'cron-parser': (fields, zone, after) => {
    const schedule = CronExpressionParser.parse(fields, { tz: zone, currentDate: after });
    return [schedule.next().toDate(), schedule.next().toDate()];
  },
};
const day = { weekday: 'short', day: 'numeric', month: 'short' };
const wanted = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'longOffset' };
function format(date, zone) {
  const parts = new Intl.DateTimeFormat('en-US', { ...wanted, timeZone: zone }).formatToParts(date);
  const { weekday, day, month, hour, minute, timeZoneName } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${weekday} ${day} ${month} ${hour}:${minute} ${timeZoneName.slice(3, 6)}`;
}
for (const [name, due] of Object.entries(libraries)) {
  console.log(`== ${name}`);
  for (const line of readFileSync('schedules', 'utf8').trim().split('\n')) {
    const [, after, zone, fields] = /^(\S+) (\S+) (.*)$/.exec(line);
    const times = due(fields, zone, after).map((date) => format(date, zone));
    console.log(`${zone} ${fields}: ${times.join(', ')}`);
  }
}
PROGRAM
export GOFLAGS=-modcacherw GOMODCACHE="$folder/modules" GOCACHE="$folder/go-cache"
{ go mod init schedules && go get github.com/robfig/cron/v3@v3.0.1; } >/dev/null 2>&1 || { echo 'robfig/cron cannot be had'; exit 2; }
seen=$(echo '== robfig/cron'; go run . <schedules; node program.mjs)
before=$(
  cat <<'BEFORE'
== robfig/cron
Africa/Cairo 0 12 * * 5: Fri 7 May 12:00 +03, Fri 14 May 12:00 +03
Asia/Beirut 0 12 * * 0: Sun 4 Apr 12:00 +03, Sun 11 Apr 12:00 +03
Asia/Beirut 0 12 * * *: Fri 26 Mar 12:00 +02, Sat 27 Mar 12:00 +02
America/Havana 0 12 * * 0: Sun 14 Mar 12:00 -04, Sun 21 Mar 12:00 -04
America/New_York 30 1 * * *: Sun 7 Nov 01:30 -04, Sun 7 Nov 01:30 -05
America/New_York 30 2 * * *: Mon 15 Mar 02:30 -04, Tue 16 Mar 02:30 -04
America/New_York 0 12 * * 7: an error
== croner
Africa/Cairo 0 12 * * 5: Fri 30 Apr 12:00 +03, Fri 7 May 12:00 +03
Asia/Beirut 0 12 * * 0: Sun 28 Mar 12:00 +03, Sun 4 Apr 12:00 +03
Asia/Beirut 0 12 * * *: Fri 26 Mar 12:00 +02, Sat 27 Mar 12:00 +02
America/Havana 0 12 * * 0: Sun 14 Mar 12:00 -04, Sun 21 Mar 12:00 -04
America/New_York 30 1 * * *: Sun 7 Nov 01:30 -04, Mon 8 Nov 01:30 -05
America/New_York 30 2 * * *: Sun 14 Mar 03:00 -04, Mon 15 Mar 02:30 -04
America/New_York 0 12 * * 7: Sun 14 Mar 12:00 -04, Sun 21 Mar 12:00 -04
== cron-parser
Africa/Cairo 0 12 * * 5: Fri 30 Apr 12:00 +03, Fri 7 May 12:00 +03
Asia/Beirut 0 12 * * 0: Sun 28 Mar 12:00 +03, Sun 4 Apr 12:00 +03
Asia/Beirut 0 12 * * *: Fri 26 Mar 12:00 +02, Sat 27 Mar 12:00 +02
America/Havana 0 12 * * 0: Sun 14 Mar 12:00 -04, Sun 21 Mar 12:00 -04
America/New_York 30 1 * * *: Sun 7 Nov 01:30 -04, Mon 8 Nov 01:30 -05
America/New_York 30 2 * * *: Sun 14 Mar 03:30 -04, Mon 15 Mar 02:30 -04
America/New_York 0 12 * * 7: Sun 14 Mar 12:00 -04, Sun 21 Mar 12:00 -04
BEFORE
)
echo "$seen"
[ "$seen" = "$before" ] || { printf 'before:\n%s\n' "$before"; exit 1; }
