import { systemClock } from '@kubewright/client';
import { StorageBackend } from '@kubewright/cluster';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { provisioningContract } from './provisioning.contract.ts';
import { snapshotsContract } from './snapshots.contract.ts';
import { useVolumeStory } from './use-volume-story.ts';

const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

const backend = new StorageBackend({ clock: systemClock });
const STORAGE = { backend, backoff: { baseMs: 20, maxMs: 200 } };

describeClusters('Storage', { controllers: CONTROLLERS, storage: STORAGE }, (transport) => {
  const story = useVolumeStory(transport);
  provisioningContract(story, backend);
  snapshotsContract(story, backend);
});
