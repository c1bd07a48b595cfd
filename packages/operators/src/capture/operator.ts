import type { Operator } from '../kit/operator.ts';

/** Captures manifests and volumes, each once per request, and gives volumes back. */
export const capture: Operator = {
  name: 'capture',
  summary: 'captures manifests and volumes, once per request, and restores volumes',
  settings: {
    REQUEST_TTL: 'how long finished capture and restore requests are kept, as 1h30m; 0 for ever; default 10m',
    CAPTURE_SECRETS: 'Include, Redact or Exclude Secrets where a request does not say; default Include',
  },
  load: async () => (await import('./controller.ts')).captureParts,
};
