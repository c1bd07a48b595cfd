/** The controllers of a cluster on which captures and restores are tested. */
export const CAPTURE_CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;
