import { systemClock } from '@kubewright/client';
import { appsv1, corev1, type Json, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { expect } from 'vitest';
import type { Environment } from '../../kit/operator.ts';
import { useOperator } from '../../kit/testing/use-operator.ts';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';
import { migrationParts } from '../controller.ts';
import { type Load, startLoad } from '../demo/start-load.ts';
import { checkApplied } from './check-applied.ts';
import {
  appliedBy,
  type BrokerForLoad,
  consumerTemplate,
  isReady,
  moveCalls,
  PATIENT,
  PATIENT_POLL,
  LOCAL_BROKERS,
} from './migration-calls.ts';

export type Setting = { readonly transport: () => Transport; readonly broker: () => BrokerForLoad };

const SET = 'consumer';
const [PRODUCER, PER_SECOND] = ['till', 20];

/**
 * An operator, and a StatefulSet each of whose pods has a queue of its own. `moved`: the ordinal of the pod that moves; `env`: further
 * settings of the operator.
 */
export function useSets({ transport, broker }: Setting, moved: number, env: Environment = {}) {
  const operator = useOperator(transport, migrationParts, { env: { ...LOCAL_BROKERS, ...env } });
  const { namespace } = operator;
  const queue = `${namespace}-${SET}-${moved}`;
  const gate = `${queue}.gate`;
  const key = { namespace, name: `${SET}-${moved}` };
  let load: Load | undefined;
  const create = moveCalls(() => operator, { queue, broker });
  const setWhere = async (isSo: (set: Stored<appsv1.StatefulSet>) => boolean) => {
    const isThere = (live: Stored<appsv1.StatefulSet> | undefined) => live !== undefined && isSo(live);
    return waitForObject(operator.admin, appsv1.statefulsets, { namespace, name: SET }, isThere, PATIENT);
  };
  const podWhere = async (isSo: (pod: Stored<corev1.Pod>) => boolean) => {
    const isThere = (live: Stored<corev1.Pod> | undefined) => live !== undefined && isSo(live);
    return (await waitForObject(operator.admin, corev1.pods, key, isThere, PATIENT)) as Stored<corev1.Pod>;
  };
  return {
    operator,
    key,
    setWhere,
    podWhere,
    readyPod: () => podWhere((pod) => isReady(pod)),
    pods: async () => (await operator.admin.list(corev1.pods, { namespace })).items,
    make: async (spec: Partial<appsv1.StatefulSetSpec>): Promise<void> => {
      for (const name of [queue, gate]) await broker().declare(name);
      await operator.admin.create(appsv1.statefulsets, consumers(namespace, broker().url, spec));
    },
    change: (spec: Json) =>
      operator.admin.patch(appsv1.statefulsets, { namespace, name: SET }, { type: 'merge', body: { spec } }),
    /** Its consumer stands at this message until it may go on. */
    shutGate: () => broker().publish(queue, { body: { producer: 'gate', seq: 1, gate } }),
    /** Whoever restores its state stands at the gate. */
    shutRestore: () => broker().publish(queue, { body: { producer: 'gate', seq: 1, restoreGate: gate } }),
    openGate: () => broker().publish(gate, { body: 'open' }),
    publish: (): void => {
      const publish: Parameters<typeof startLoad>[0]['publish'] = (message) =>
        broker().publish(queue, message);
      load = startLoad({ producer: PRODUCER, perSecond: PER_SECOND, publish, clock: systemClock });
    },
    move: async (name: string, more: Partial<StatefulMigration['spec']> = {}): Promise<void> => {
      const { spec } = await podWhere(() => true);
      await create(name, key.name, otherNode(spec.nodeName), more);
    },
    atStep: async (name: string, step: string) => {
      const isThere = (live: StatefulMigration | undefined) => live?.status?.step === step;
      await waitForObject(operator.admin, STATEFUL_MIGRATIONS, { namespace, name }, isThere, PATIENT);
    },
    expectWhole: async (): Promise<void> => {
      const published = new Map([[PRODUCER, (await load?.stop()) ?? 0]]);
      const verdict = async () => checkApplied(await appliedBy(transport(), key), published);
      await expect.poll(verdict, PATIENT_POLL).toEqual({ missing: [], double: [], disordered: [] });
    },
  };
}

export function otherNode(node: string | undefined): string {
  return node === 'node-1' ? 'node-2' : 'node-1';
}

function consumers(
  namespace: string,
  url: string,
  spec: Partial<appsv1.StatefulSetSpec>,
): appsv1.StatefulSet {
  const { metadata, spec: podSpec } = consumerTemplate(SET, { queue: `${namespace}-$(POD_NAME)`, url });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: SET, namespace },
    spec: {
      serviceName: SET,
      replicas: 1,
      selector: { matchLabels: { app: SET } },
      template: { metadata, spec: { ...podSpec, terminationGracePeriodSeconds: 1 } },
      ...spec,
    },
  };
}

/** Its controller has looked at the set once more, and at its pods: what it wants to delete, it deletes then. */
export async function lookedAgain({ change, setWhere }: ReturnType<typeof useSets>): Promise<void> {
  const { metadata } = await change({ minReadySeconds: 1 });
  await setWhere(({ status }) => (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0));
}
