import { type Io, type Manager, type Request, type Steps, watchKind, watchMapped } from '@kubewright/runtime';
import { defined } from '@kubewright/kube';
import {
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
  type ManifestCaptureStatus,
} from '../api/manifest-capture-request.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import { captureMetrics } from '../metrics/capture-metrics.ts';
import { decideRequests } from '../metrics/decide-requests.ts';
import type { Settings } from '../settings.ts';
import { act } from './act.ts';
import { type CaptureAction, captureRefused, decide } from './decide.ts';
import { type Memories, noteChunk, observe } from './observe.ts';
import type { ObservedCapture } from './observed-capture.ts';

export type ManifestSteps = Steps<
  ObservedCapture,
  CaptureAction,
  ManifestCaptureStatus,
  ManifestCaptureRequest
>;

const CONCURRENT_CAPTURES = 4;
/** One step per chunk, and a few more: enough for 400 MB of gzip. */
const MAX_STEPS = 520;

/** Captures manifests, once per request. */
export function addManifestCapture(
  manager: Manager,
  { keyFile, ...settings }: Settings,
  change: (steps: ManifestSteps) => ManifestSteps = (steps) => steps,
): void {
  const memories: Memories = new Map();
  const { chunkBytes } = captureMetrics(manager.registry);
  // A key that cannot be read stops the process.
  const [key] = keyFile === undefined ? [] : readKeyRing(keyFile);
  const tools = { memories, settings: { ...settings, ...defined({ key }) } };
  const steps = change({
    observe: (request, io: Io) => observe(request, io, tools),
    decide,
    act: (action, io) =>
      act(action, io, (written, stored) => {
        chunkBytes.inc(gzipBytes(stored.spec.data));
        noteChunk(memories, written, stored);
      }),
    refused: captureRefused,
    subject: ({ request }) => request,
  });
  manager.addController({
    name: 'manifestcapturerequest',
    reconciler: decideRequests(manager, MANIFEST_CAPTURE_REQUESTS, steps, {
      mode: 'Manifests',
      maxSteps: MAX_STEPS,
    }),
    sources: [watchKind(MANIFEST_CAPTURE_REQUESTS), watchMapped(OBJECT_KEEPERS, followedRequest)],
    maxConcurrentReconciles: CONCURRENT_CAPTURES,
  });
}

/** Of their base64. */
function gzipBytes(data: string): number {
  return Buffer.byteLength(data, 'base64');
}

/** The request that a keeper follows. */
function followedRequest({ spec: { followObjectRef: ref } }: ObjectKeeper): readonly Request[] {
  if (ref?.kind !== MANIFEST_CAPTURE_REQUESTS.kind) return [];
  return [{ namespace: ref.namespace, name: ref.name }];
}
