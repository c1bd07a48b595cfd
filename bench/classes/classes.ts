import { fileURLToPath } from 'node:url';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { type Fleet, measureFleet, REST_SECONDS, type Size } from './measure-fleet.ts';

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
  const theirs = base === undefined ? undefined : await measureFleet(base, size);
  const ours = await measureFleet(OURS, size);
  const beside = theirs === undefined ? ' (beside it: what it may)' : '';
  return {
    title: `${classes} ClassRuntimes of ${FUNCTIONS} functions in ${NAMESPACES} namespaces on the embedded cluster${beside}`,
    sides: ['classes', theirs === undefined ? 'at most' : 'before'],
    rows: ROWS.map((row) => rowOf(row, ours, theirs)),
  };
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
    name: 'queries of metrics in a minute',
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
