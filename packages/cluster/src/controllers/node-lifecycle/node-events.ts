import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import type { EventNote, Manager } from '@kubewright/runtime';

type NodeEvents = {
  of(object: Stored<corev1.Node> | Stored<corev1.Pod>, note: EventNote): void;
  /** Emits an event for nodes that come and go, each time once. */
  seen(name: string, node: Stored<corev1.Node> | undefined): void;
};

export function createNodeEvents(manager: Manager): NodeEvents {
  const recorder = manager.recorderFor('node-controller');
  const known = new Map<string, Stored<corev1.Node>>();
  const of = (object: KubeObject, note: EventNote): void => recorder.record(object, note);
  return {
    of,
    seen(name, node) {
      const before = known.get(name);
      if (before !== undefined && node?.metadata.uid !== before.metadata.uid) {
        known.delete(name);
        const message = `Node ${name} event: Removing Node ${name} from Controller`;
        of(bare(before), { type: 'Normal', reason: 'RemovingNode', message });
      }
      if (node === undefined || known.has(name)) return;
      known.set(name, node);
      const message = `Node ${name} event: Registered Node ${name} in Controller`;
      of(bare(node), { type: 'Normal', reason: 'RegisteredNode', message });
    },
  };
}

/** Of whichever version: these Events name none. */
function bare({ metadata: { name, uid }, ...node }: Stored<corev1.Node>): KubeObject {
  return { ...node, metadata: { name, uid } };
}
