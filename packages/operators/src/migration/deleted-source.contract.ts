import { corev1, type Stored } from '@kubewright/kube';
import { beforeAll, expect, test } from 'vitest';
import type { Environment } from '../kit/operator.ts';
import { STATEFUL_MIGRATIONS } from './api.ts';
import { ENDS, reached } from './testing/migration-calls.ts';
import { otherNode, type Setting, useSets } from './testing/use-sets.ts';

/** What becomes of the state of a StatefulSet's pod that somebody deletes in the middle of its migration. */
export function deletedSourceContract(setting: Setting, env: Environment): void {
  const suite = useSets(setting, 0, env);
  const { operator, key } = suite;
  let source: Stored<corev1.Pod>;

  beforeAll(async () => {
    await suite.make({});
    source = await suite.readyPod();
    suite.publish();
  });

  test('MIG-42 after its state was taken: the target takes over with it, and with all messages since', async () => {
    // Its state was taken, and the target does not have it yet.
    await suite.shutRestore();
    await suite.move('first');
    await suite.atStep('first', 'Restore');
    await operator.admin.delete(corev1.pods, key);
    // Made in its place, without the state.
    const isBlank = ({ metadata, status }: Stored<corev1.Pod>) =>
      metadata.uid !== source.metadata.uid && status?.phase === 'Running';
    await suite.podWhere(isBlank);
    await suite.openGate();
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({ phase: 'Completed', sourceLost: true });
    const completed = status?.conditions?.find(({ type }) => type === 'Completed');
    expect(completed).toMatchObject({ status: 'True', reason: 'SourceLost' });
  });

  test('MIG-42 its pod is on the other node, and has applied each message once, and in order', async () => {
    const { spec, metadata } = await suite.readyPod();
    expect(spec.nodeName).toBe(otherNode(source.spec.nodeName));
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', controller: true }]);
    expect((await suite.pods()).length).toBe(1);
    await suite.expectWhole();
    const { namespace } = operator;
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
  });
}
