import { judgeDay } from './judge-day.ts';
import { DAYS, type LoadDay } from './loads.ts';
import { type Look, playDay } from './play-day.ts';
import { missingSources, sourceNames, startSources } from './sources/sources.ts';
import { readOptions } from '../../tools/read-options.ts';

const USAGE = `npm run test:metrics [-- NAME …] [--source NAME]: plays known loads on real sources of metrics, at all defaults of the classes operator,
by a virtual clock, and prints per source what was needed, recommended and there
  NAME  part of the name of a load: ${DAYS.map(({ name }) => name).join(', ')}
  --source NAME  part of the name of a source: ${sourceNames().join(', ')}`;

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { source: { type: 'string', default: '' } },
});
const days = DAYS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((one) => name.includes(one)),
);
for (const missing of missingSources(values.source)) console.log(`not played: ${missing}`);
const sources = await startSources(values.source);
let [played, failed] = [0, 0];
try {
  console.log(
    `${'load'.padEnd(46)}${'source'.padEnd(17)}need    recommended  replicas  NfrObserved, requests in`,
  );
  for (const [number, day] of days.entries()) failed += await playOn(day, number);
} finally {
  for (const source of sources) await source.stop();
}
console.log(`${played - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Returns on how many sources the day failed. */
async function playOn(day: LoadDay, number: number): Promise<number> {
  let failures = 0;
  for (const [index, source] of sources.entries()) {
    if (!source.forms.includes(day.requests?.form ?? 'classic')) continue;
    played++;
    const looks = await playDay(day, source, number * sources.length + index);
    const faults = judgeDay(day, looks);
    console.log(`${day.name.padEnd(46)}${source.name.padEnd(17)}${summary(looks)}`);
    for (const fault of faults) console.log(`  FAILED: ${fault}`);
    if (faults.length > 0) failures++;
  }
  return failures;
}

function summary(looks: readonly Look[]): string {
  const range = (of: (one: Look) => number): string => {
    const all = looks.map(of);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    return least === most ? String(least) : `${least}–${most}`;
  };
  const reasons = [...new Set(looks.map(({ reason }) => reason))].filter(
    (one) => one !== 'PrometheusQueryOK',
  );
  return [
    range(({ need }) => need).padEnd(8),
    range(({ recommended }) => recommended).padEnd(13),
    range(({ replicas }) => replicas).padEnd(10),
    [reasons.join(', ') || 'True', ...new Set(looks.flatMap(({ histograms = [] }) => histograms))].join(', '),
  ].join('');
}
