import { describeClusters } from '../../servers/describe-clusters.ts';
import { bindingContract } from './binding.contract.ts';
import { releaseContract } from './release.contract.ts';
import { useVolumeStory } from './use-volume-story.ts';

const CONTROLLERS = [
  'ephemeral-volume-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

describeClusters('Claims and volumes', CONTROLLERS, (transport) => {
  const story = useVolumeStory(transport);
  bindingContract(story);
  releaseContract(story);
});
