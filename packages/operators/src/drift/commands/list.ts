import { corev1 } from '@kubewright/kube';
import { type Listing, runList } from '../../kit/run-list.ts';
import { type Drift, readDrifts } from './read-drifts.ts';

const LISTING: Listing<Drift> = {
  columns: [
    { title: 'PARENT', of: ({ parent }) => parent },
    { title: 'CHILD', of: ({ child }) => child },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'TIMES', of: ({ times }) => String(times) },
    { title: 'LAST', of: ({ last }) => last },
    { title: 'NEW', of: ({ isNew }) => String(isNew), isWide: true },
    { title: 'WHAT', of: ({ message }) => message },
  ],
  nameOf: ({ child }) => child,
  none: (where) => `no drift in ${where} within the last hour`,
  read: (stage, namespace) =>
    readDrifts({ ...stage, namespace: namespace ?? stage.namespace }, () => true, namespace === undefined),
  isFound: ({ state }) => state === 'open',
  watched: [corev1.events],
};

/** `kubewright drift list`: the drift Events of the last hour, the newest first. */
export const list = runList(LISTING);
