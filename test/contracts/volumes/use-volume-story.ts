import type { Transport } from '@kubewright/kube';
import { afterEach, beforeEach } from 'vitest';
import { VolumeStory } from './volume-story.ts';

/** The story of the test that runs: each has one of its own. */
export function useVolumeStory(transport: () => Transport): () => VolumeStory {
  let story: VolumeStory;
  beforeEach(async () => {
    story = await VolumeStory.begin(transport());
  });
  afterEach(() => story.end());
  return () => story;
}
