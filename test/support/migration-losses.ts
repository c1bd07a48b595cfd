/** Outcomes of a migration that say that the state went with its pod. */
export const LOSSES: ReadonlySet<string> = new Set([
  'SourceLost',
  'SourceRestarted',
  'StateLost',
  'RestoredPodRestarted',
]);

/** Of the second in which a migration was completed, and for its last look at the process that took over. */
export const LAST_LOOK_MS = 1500;
