import {
  decisions,
  type Io,
  type Manager,
  type Request,
  type Steps,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { defined } from '@kubewright/kube';
import { COMPONENT } from '../api/annotations.ts';
import {
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
  type ManifestCaptureStatus,
} from '../api/manifest-capture-request.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import { isFinished } from '../requests/finish.ts';
import type { Settings } from '../settings.ts';
import { act } from './act.ts';
import { type CaptureAction, captureRefused, decide } from './decide.ts';
import { type Memories, observe } from './observe.ts';
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
  // A key that cannot be read stops the process.
  const [key] = keyFile === undefined ? [] : readKeyRing(keyFile);
  const tools = { memories, settings: { ...settings, ...defined({ key }) } };
  const steps = change({
    observe: (request, io: Io) => observe(request, io, tools),
    decide,
    act,
    refused: captureRefused,
    subject: ({ request }) => request,
  });
  manager.addController({
    name: 'manifestcapturerequest',
    reconciler: decisions(manager, MANIFEST_CAPTURE_REQUESTS, steps, {
      component: COMPONENT,
      isTerminal: isFinished,
      frozenWhenTerminal: true,
      maxSteps: MAX_STEPS,
    }),
    sources: [watchKind(MANIFEST_CAPTURE_REQUESTS), watchMapped(OBJECT_KEEPERS, followedRequest)],
    maxConcurrentReconciles: CONCURRENT_CAPTURES,
  });
}

/** The request that a keeper follows. */
function followedRequest({ spec: { followObjectRef: ref } }: ObjectKeeper): readonly Request[] {
  if (ref?.kind !== MANIFEST_CAPTURE_REQUESTS.kind) return [];
  return [{ namespace: ref.namespace, name: ref.name }];
}
