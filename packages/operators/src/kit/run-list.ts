import { type Ref, systemClock, systemRandom } from '@kubewright/client';
import { jsonEqual, type JsonObject } from '@kubewright/kube';
import { clientListWatch, Informer, silentLogger } from '@kubewright/runtime';
import { type ListColumn, listTable } from './list-table.ts';
import { OperatorError } from '../operator-error.ts';
import type { CommandCall, CommandStage } from './operator.ts';

/** What -o json has of one. */
export type ListItem = JsonObject & { readonly namespace?: string };

/** What a list shows, and where it has it from. */
export type Listing<T extends ListItem> = {
  /** Beside the namespace, which comes first in a list of all. */
  readonly columns: readonly ListColumn<T>[];
  /** As kubectl takes it: `statefulmigration.migration.ms2m.io/consumer-0`. */
  readonly nameOf: (item: T) => string;
  /** What to say where there are none: `where` is `namespace shop`, or `any namespace`. */
  readonly none: (where: string) => string;
  /** Those of a namespace; undefined: of all. */
  readonly read: (stage: CommandStage, namespace: string | undefined) => Promise<readonly T[]>;
  /** What `--exit-code` is for. */
  readonly isFound?: (item: T) => boolean;
  /** Kinds whose changes make another look worth it. */
  readonly watched: readonly Ref[];
};

const NAMESPACE: ListColumn<{ readonly namespace?: string }> = {
  title: 'NAMESPACE',
  of: ({ namespace = '' }) => namespace,
};

const never = (): boolean => false;

/** Throws where something is found, and `--exit-code` is given. */
export function checkFound({ exitCode }: CommandCall['options'], count: number): void {
  if (exitCode === undefined || count === 0) return;
  throw new OperatorError('Differs', `${count} found, and --exit-code was given`);
}

type Printed = Parameters<CommandStage['print']>[0];

/** Lists once, or with `--watch` until the signal: then whatever has changed is printed below. */
export function runList<T extends ListItem>(
  listing: Listing<T>,
): (call: CommandCall, connect: () => Promise<CommandStage>) => Promise<void> {
  return async ({ options }, connect) => {
    const stage = await connect();
    const namespace = options['allNamespaces'] === undefined ? stage.namespace : undefined;
    const results = resultsOf(listing, options, namespace);
    const items = await listing.read(stage, namespace);
    for (const result of results(items)) stage.print(result);
    if (options['watch'] === undefined)
      return checkFound(options, items.filter(listing.isFound ?? never).length);
    const { read } = listing;
    const known = new Map(items.map((item) => [keyOf(listing, item), item]));
    await onChange(listing.watched, stage, namespace, async () => {
      const now = await read(stage, namespace);
      const changed = now.filter((item) => !jsonEqual(known.get(keyOf(listing, item)) ?? null, item));
      known.clear();
      for (const item of now) known.set(keyOf(listing, item), item);
      if (changed.length > 0) for (const result of results(changed)) stage.print(result);
    });
  };
}

function keyOf<T extends ListItem>({ nameOf }: Listing<T>, item: T): string {
  return `${item.namespace ?? ''} ${nameOf(item)}`;
}

/** The results that print some items: one, or for programs that watch one of each item, as kubectl does it. */
function resultsOf<T extends ListItem>(
  listing: Listing<T>,
  { headers, watch, output = 'wide' }: CommandCall['options'],
  namespace: string | undefined,
): (items: readonly T[]) => readonly Printed[] {
  const { columns, nameOf, none } = listing;
  const hasTitles = headers !== 'false';
  const table = listTable<T>(namespace === undefined ? [NAMESPACE, ...columns] : columns, { hasTitles });
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  const text = (items: readonly T[]) => (isWide?: boolean) => table(items, isWide);
  if (watch === undefined || output === 'wide')
    return (items) => [
      {
        json: { apiVersion: 'v1', kind: 'List', items },
        text: text(items),
        names: items.map((item) => nameOf(item)),
        hasTitles,
        ...(items.length === 0 && { none: none(where) }),
      },
    ];
  let printed = 0;
  return (items) =>
    items.map((item) => {
      const follows = printed++ > 0;
      return {
        json: item,
        text: text([item]),
        names: [nameOf(item)],
        hasTitles: hasTitles && !follows,
        follows,
      };
    });
}

/** Calls `look` after each change of one of these kinds, one call at a time, until the signal. */
async function onChange(
  refs: readonly Ref[],
  { client, signal }: Pick<CommandStage, 'client' | 'signal'>,
  namespace: string | undefined,
  look: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  let wake = (): void => undefined;
  let isDue = false;
  const change = (): void => {
    isDue = true;
    wake();
  };
  signal.addEventListener('abort', change, { once: true });
  const running = refs.map((ref) => watchKind(client, ref, namespace, change).start(stop.signal));
  try {
    while (!signal.aborted) {
      if (!isDue) await new Promise<void>((resolve) => (wake = resolve));
      isDue = false;
      if (!signal.aborted) await look();
    }
  } catch (error) {
    // The signal has ended a read, too.
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    signal.removeEventListener('abort', change);
    await Promise.all(running);
  }
}

function watchKind(
  client: CommandStage['client'],
  ref: Ref,
  namespace: string | undefined,
  change: () => void,
): Informer {
  const informer = new Informer({
    name: `listed ${ref.kind ?? ''}`,
    source: clientListWatch(client, ref, namespace === undefined ? {} : { namespace }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  informer.addHandler(change);
  return informer;
}
