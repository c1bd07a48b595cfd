import { type Listing, runList } from '../../kit/run-list.ts';
import { CLASS_RUNTIMES, type ClassRuntime, GROUP } from '../api.ts';

function rowOf({ metadata, status = {} }: ClassRuntime) {
  const { namespace, name, creationTimestamp: created = null } = metadata;
  return { namespace, name, ...stateOf(status), created };
}

function stateOf(status: NonNullable<ClassRuntime['status']>) {
  const { phase = '', message = '', lifecycle, nfr_recommendations: recommendations, template } = status;
  const recommended = recommendations?.['replicas'] ?? null;
  return { phase, reason: lifecycle?.reason ?? '', message, recommended, template: template?.selected ?? '' };
}

const LISTING: Listing<ReturnType<typeof rowOf>> = {
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'PHASE', of: ({ phase }) => phase },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'RECOMMENDED', of: ({ recommended }) => String(recommended ?? '-') },
    { title: 'TEMPLATE', of: ({ template }) => template, isWide: true },
    { title: 'CREATED', of: ({ created }) => created ?? '', isWide: true },
    { title: 'MESSAGE', of: ({ message }) => message },
  ],
  nameOf: ({ name }) => `classruntime.${GROUP}/${name}`,
  none: (where) => `there is no ClassRuntime in ${where}`,
  async read({ client }, namespace) {
    const { items } = await client.list(CLASS_RUNTIMES, namespace === undefined ? {} : { namespace });
    return items.map((one) => rowOf(one));
  },
  watched: [CLASS_RUNTIMES],
};

/** `kubewright class list`. */
export const listClasses = runList(LISTING);
