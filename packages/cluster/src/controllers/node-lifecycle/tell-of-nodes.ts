import type { corev1 } from '@kubewright/kube';
import type { EventNote, Manager } from '@kubewright/runtime';

type Teller = {
  of(object: corev1.Node | corev1.Pod, note: EventNote): void;
  /** Tells of nodes that come and go, each time once. */
  seen(name: string, node: corev1.Node | undefined): void;
};

export function tellOfNodes(manager: Manager): Teller {
  const recorder = manager.recorderFor('node-controller');
  const known = new Map<string, corev1.Node>();
  const of: Teller['of'] = (object, note) => void recorder.record(object, note);
  return {
    of,
    seen(name, node) {
      const before = known.get(name);
      if (before !== undefined && node?.metadata.uid !== before.metadata.uid) {
        known.delete(name);
        const message = `Node ${name} event: Removing Node ${name} from Controller`;
        of(before, { type: 'Normal', reason: 'RemovingNode', message });
      }
      if (node === undefined || known.has(name)) return;
      known.set(name, node);
      const message = `Node ${name} event: Registered Node ${name} in Controller`;
      of(node, { type: 'Normal', reason: 'RegisteredNode', message });
    },
  };
}
