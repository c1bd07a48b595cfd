import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { ContainerStart } from '../runtime/container-runtime.ts';
import { processOf } from './container-env.ts';

const pod: Stored<corev1.Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [] },
};
const expanded = (text: string): string | undefined => {
  const container: corev1.Container = { name: 'c', env: [{ name: 'A', value: 'x' }], args: [text] };
  const start: ContainerStart = { id: 'i', attempt: 0, pod, container, node: 'n', ip: '' };
  return processOf(start).args[0];
};

test.each([
  ['$(A)-$(A)', 'x-x'],
  ['$$(A) $(B) $$', '$(A) $(B) $'],
  ['$(A', '$(A'],
  ['$(A)$$', 'x$'],
  ['$('.repeat(300_000), '$('.repeat(300_000)],
])('what is known is replaced in the arguments of a container: %.30s', (text, result) => {
  expect(expanded(text)).toBe(result);
});
