import { fileURLToPath } from 'node:url';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { type Fleet, REST_SECONDS, type RunningFleet, type Size, startFleet } from './measure-fleet.ts';

const OURS = fileURLToPath(new URL('../..', import.meta.url));
const [CLASSES, FUNCTIONS, NAMESPACES] = [1000, 3, 10];

/**
 * Many classes in some namespaces: how soon they work, what is written then, and how often a source of metrics is queried;
 * beside another checkout that was built (`--base`), or what it may take.
 */
export async function benchClasses({
  base,
  classes = CLASSES,
}: {
  readonly base?: string;
  readonly classes?: number;
}): Promise<Comparison> {
  const size: Size = { classes, functions: FUNCTIONS, namespaces: NAMESPACES };
  const { ours, theirs } = await measured(size, base);
  const beside = theirs === undefined ? ' (beside it: what it may)' : '';
  return {
    title: `${classes} ClassRuntimes of ${FUNCTIONS} functions in ${NAMESPACES} namespaces on the embedded cluster${beside}`,
    sides: ['classes', theirs === undefined ? 'at most' : 'before'],
    rows: ROWS.map((row) => rowOf(row, ours, theirs)),
  };
}

/** One after the other, what is measured by time; what follows is waiting, and together. */
async function measured(
  size: Size,
  base: string | undefined,
): Promise<{ readonly ours: Fleet; readonly theirs?: Fleet }> {
  const fleets: RunningFleet[] = [];
  const start = async (checkout: string): Promise<() => Promise<Fleet>> => {
    const fleet = await startFleet(checkout, size);
    fleets.push(fleet);
    const made = await fleet.make();
    for (const line of made.lines) console.error(`requests per class of ${line}`);
    console.error(`${checkout}: all Available in ${made.seconds.toFixed(1)} s`);
    return async () => ({ ...made, ...(await fleet.rest()) });
  };
  try {
    const rests = [];
    // Ours is last: whatever the other does meanwhile counts against it.
    for (const checkout of [...(base === undefined ? [] : [base]), OURS]) rests.push(await start(checkout));
    const [ours, theirs] = (await Promise.all(rests.map((rest) => rest()))).toReversed();
    if (ours === undefined) throw new TypeError('nothing was measured');
    return { ours, ...(theirs === undefined ? {} : { theirs }) };
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  }
}

type Row = {
  readonly name: string;
  readonly unit: string;
  readonly of: (fleet: Fleet) => number;
  /** What it may take. */
  readonly most: number;
  /** And what of the time before; absent: `most` counts there, too. */
  readonly ratio?: number;
};

const ROWS: readonly Row[] = [
  { name: 'all Available', unit: 's', of: ({ seconds }) => seconds, most: 120, ratio: 0.7 },
  { name: 'the cluster on a core', unit: 's', of: ({ cpuSeconds }) => cpuSeconds, most: 120, ratio: 1 },
  { name: 'the manager on a core', unit: 's', of: ({ manager }) => manager.cpuSeconds, most: 120, ratio: 1 },
  { name: 'its memory', unit: 'MB', of: ({ manager }) => manager.rss, most: 512, ratio: 1.1 },
  { name: 'requests per class', unit: 'calls', of: ({ perClass }) => perClass, most: 50 },
  { name: `writes in ${REST_SECONDS} s of rest`, unit: 'calls', of: ({ idle }) => idle, most: 0 },
  { name: 'writes after a restart', unit: 'calls', of: ({ restart }) => restart, most: 0 },
  {
    name: 'queries of metrics in a pass',
    unit: 'queries',
    of: ({ queries }) => queries,
    most: 100,
    ratio: 0.1,
  },
];

/** Of what may not be there at all, the ratio counts in calls. */
function rowOf({ name, unit, of, most, ratio }: Row, ours: Fleet, theirs: Fleet | undefined): ComparisonRow {
  const least = Math.max(1, most);
  const row = { name, unit, ours: of(ours), better: 'less' } as const;
  if (theirs === undefined) return { ...row, theirs: least, target: most / least };
  const before = Math.max(1, of(theirs));
  return { ...row, theirs: before, target: ratio ?? most / before };
}
