import type { CommandStage } from '../../kit/operator.ts';
import { type Listing, runList } from '../../kit/run-list.ts';
import { GROUP, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

function rowOf({ metadata, spec, status }: StatefulMigration) {
  const { sourceNode = '', phase = 'Pending', step = '', message = '', strategy = '' } = status ?? {};
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    pod: spec.sourcePod,
    from: sourceNode,
    to: spec.targetNode,
    phase,
    step,
    message,
    strategy,
    progress: status?.progress ?? 0,
    created: metadata.creationTimestamp ?? null,
  };
}

const LISTING: Listing<ReturnType<typeof rowOf>> = {
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'POD', of: ({ pod }) => pod },
    { title: 'FROM', of: ({ from }) => from },
    { title: 'TO', of: ({ to }) => to },
    { title: 'PHASE', of: ({ phase }) => phase },
    { title: 'STEP', of: ({ step }) => step },
    { title: 'PROGRESS', of: ({ progress }) => `${progress}%`, isWide: true },
    { title: 'STRATEGY', of: ({ strategy }) => strategy, isWide: true },
    { title: 'CREATED', of: ({ created }) => created ?? '', isWide: true },
    { title: 'MESSAGE', of: ({ message }) => message },
  ],
  nameOf: ({ name }) => `statefulmigration.${GROUP}/${name}`,
  none: (where) => `no migrations in ${where}`,
  async read({ client }: CommandStage, namespace) {
    const { items } = await client.list(STATEFUL_MIGRATIONS, namespace === undefined ? {} : { namespace });
    return items.map((one) => rowOf(one));
  },
  watched: [STATEFUL_MIGRATIONS],
};

/** `kubewright migrate list`: the migrations of a namespace, also those that are over. */
export const listMigrations = runList(LISTING);
