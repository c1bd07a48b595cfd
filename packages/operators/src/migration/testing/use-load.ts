import { systemClock } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';
import { expect } from 'vitest';
import { useOperator } from '../../kit/testing/use-operator.ts';
import { migrationParts } from '../controller.ts';
import { type Load, startLoad } from '../demo/start-load.ts';
import { checkApplied } from './check-applied.ts';
import { appliedBy, consumerTemplate, moveCalls, PATIENT_POLL, LOCAL_BROKERS } from './migration-calls.ts';
import type { Setting } from './use-sets.ts';

const [PRODUCER, PER_SECOND] = ['till', 40];

/** An operator, a namespace, and a load on a queue, which is named after the pod `pod` where there is one. */
export function useLoad({ transport, broker }: Setting, app: string, pod?: string) {
  const operator = useOperator(transport, migrationParts, { env: LOCAL_BROKERS });
  // Consumers of the suite on another cluster may share the broker.
  const prefix = `${app}-${operator.namespace}`;
  const queueOf = (name: string): string => (pod === undefined ? prefix : `${prefix}-${name}`);
  const queue = queueOf(pod ?? '');
  let load: Load | undefined;
  const template = () => consumerTemplate(app, { queue: queueOf('$(POD_NAME)'), url: broker().url });
  const pods = async (): Promise<readonly Stored<corev1.Pod>[]> =>
    (await operator.admin.list(corev1.pods, { namespace: operator.namespace })).items;
  return {
    operator,
    queue,
    template,
    pods,
    move: moveCalls(() => operator, { queue, broker }),
    declare: async (): Promise<void> => {
      await broker().declare(queue);
      await broker().declare(`${queue}.end`);
    },
    publish: (): void => {
      const send = (message: Message): Promise<void> => broker().publish(queue, message);
      load = startLoad({ producer: PRODUCER, perSecond: PER_SECOND, publish: send, clock: systemClock });
    },
    /** The only pod that is there has applied each message once, and in order. */
    expectWhole: async (): Promise<void> => {
      const published = (await load?.stop()) ?? 0;
      const [pod] = await pods();
      const key = { namespace: operator.namespace, name: pod?.metadata.name ?? '' };
      const verdict = async () =>
        checkApplied(await appliedBy(transport(), key), new Map([[PRODUCER, published]]));
      await expect.poll(verdict, PATIENT_POLL).toEqual({ missing: [], double: [], disordered: [] });
    },
  };
}
