import type { OperatorPart, OperatorParts, PolicyRule } from '../kit/operator.ts';
import { KEEPER_GROUP, MANIFEST_GROUP, VOLUME_GROUP } from './api/annotations.ts';
import { CAPTURE_SCHEDULES, SCHEDULE_GROUP } from './api/capture-schedule.ts';
import { CONTENT_CHUNKS } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { captureAlerts } from './alerts.ts';
import { addAuthorWebhooks } from './authority/add-author-webhooks.ts';
import { CHECK_AUTHOR, CONFIGURATION, RECORD_AUTHOR } from './authority/author-webhooks.ts';
import { uncheckedAuthors } from './authority/unchecked-authors.ts';
import { addExpiry } from './expiry/add-expiry.ts';
import { addKeepers, type KeeperSteps } from './keepers/add-keepers.ts';
import { addManifestCapture, type ManifestSteps } from './manifests/add-manifest-capture.ts';
import { addReadApi } from './read-api/add-read-api.ts';
import { READ_API_SERVICE } from './read-api/read-api-service.ts';
import { addSchedules } from './schedules/add-schedules.ts';
import { readSettings } from './settings.ts';
import { addVolumeDetach, type DetachSteps } from './volumes/detach/add-volume-detach.ts';
import { addVolumeRestore } from './volumes/restore/add-volume-restore.ts';
import { addVolumeCapture, type SnapshotSteps } from './volumes/snapshot/add-volume-capture.ts';

/** All parts share the manager's cache, so list and watch on a kind are granted to one part only. */
const WATCH = ['list', 'watch'];
/** A failed write repeats its decision and Event; the Event's count is then patched. */
const EVENTS: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };

function rule(group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}

/** A request that the webhook has not checked is not carried out. */
const READ_WEBHOOK: PolicyRule = {
  ...rule('admissionregistration.k8s.io', ['validatingwebhookconfigurations'], ['get']),
  resourceNames: [CONFIGURATION],
};

/** Broken variants of the steps, for simulations that must catch them. */
export type CaptureChanges = {
  readonly keepers?: (steps: KeeperSteps) => KeeperSteps;
  readonly manifests?: (steps: ManifestSteps) => ManifestSteps;
  readonly detaches?: (steps: DetachSteps) => DetachSteps;
  readonly snapshots?: (steps: SnapshotSteps) => SnapshotSteps;
};

/** Keepers may follow any kind that an administrator grants. */
const keeperPart = (change: CaptureChanges['keepers']): OperatorPart => ({
  account: 'capture-keepers',
  rules: [
    rule(KEEPER_GROUP, ['objectkeepers'], ['get', ...WATCH, 'delete']),
    rule(KEEPER_GROUP, ['objectkeepers/status'], ['patch']),
    rule(MANIFEST_GROUP, ['manifestcapturerequests'], ['get']),
    rule(VOLUME_GROUP, ['volumecapturerequests', 'volumerestorerequests'], ['get']),
    // Only create: a keeper is deleted once, so its Event is never repeated.
    rule('', ['events'], ['create']),
  ],
  verbsOnAnyKind: ['get'],
  add: (manager, env) => addKeepers(manager, readSettings(env), change),
});

/** Captures any kind that an administrator grants. */
const manifestPart = (change: CaptureChanges['manifests']): OperatorPart => ({
  account: 'capture-manifests',
  rules: [
    rule(MANIFEST_GROUP, ['manifestcapturerequests'], ['get', ...WATCH]),
    rule(MANIFEST_GROUP, ['manifestcapturerequests/status', 'manifestcheckpoints/status'], ['patch']),
    rule(MANIFEST_GROUP, ['manifestcheckpoints', 'manifestcheckpointcontentchunks'], ['get', 'create']),
    rule(KEEPER_GROUP, ['objectkeepers'], ['get', 'create']),
    // That of a request: its labels and annotations are captured with what is in it.
    rule('', ['namespaces'], ['get']),
    READ_WEBHOOK,
    EVENTS,
  ],
  // Targets are read one by one, selected kinds are listed.
  verbsOnAnyKind: ['get', 'list'],
  add: (manager, env) => addManifestCapture(manager, readSettings(env), change),
});

const volumePart = (change: CaptureChanges['snapshots']): OperatorPart => ({
  account: 'capture-volumes',
  rules: [
    rule(VOLUME_GROUP, ['volumecapturerequests', 'volumerestorerequests'], ['get', ...WATCH]),
    rule(VOLUME_GROUP, ['volumecapturerequests/status', 'volumerestorerequests/status'], ['patch']),
    rule(KEEPER_GROUP, ['objectkeepers'], ['get', 'create']),
    rule('snapshot.storage.k8s.io', ['volumesnapshotcontents', 'volumesnapshots'], ['get', 'create']),
    rule('snapshot.storage.k8s.io', ['volumesnapshotclasses'], ['get']),
    rule('storage.k8s.io', ['storageclasses'], ['get']),
    rule('', ['persistentvolumeclaims'], ['get', 'create']),
    rule('', ['persistentvolumes'], ['get']),
    READ_WEBHOOK,
    // What a provisioner reports of a claim that has no volume.
    rule('', ['events'], ['list']),
    EVENTS,
  ],
  add: (manager) => {
    addVolumeCapture(manager, change);
    addVolumeRestore(manager);
  },
});

/** The one part that deletes claims. */
const detachPart = (change: CaptureChanges['detaches']): OperatorPart => ({
  account: 'capture-detach',
  rules: [
    rule(VOLUME_GROUP, ['volumecapturerequests'], ['get']),
    rule(VOLUME_GROUP, ['volumecapturerequests/status'], ['patch']),
    rule(KEEPER_GROUP, ['objectkeepers'], ['get', 'create']),
    rule('', ['persistentvolumeclaims'], ['get', 'delete']),
    rule('', ['persistentvolumes'], ['get', 'patch']),
    READ_WEBHOOK,
    // Only create: each of its Events is recorded with a status that makes it go on.
    rule('', ['events'], ['create']),
  ],
  add: (manager) => addVolumeDetach(manager, change),
});

const expiryPart: OperatorPart = {
  account: 'capture-expiry',
  rules: [
    rule(MANIFEST_GROUP, ['manifestcapturerequests'], ['get', 'delete']),
    rule(VOLUME_GROUP, ['volumecapturerequests', 'volumerestorerequests'], ['get', 'delete']),
  ],
  add: (manager, env) => addExpiry(manager, readSettings(env)),
};

/**
 * Makes requests in its own name, so that it has to have the rights on what they capture: those that an administrator
 * grants for manifests. It reads nothing of that.
 */
const schedulePart: OperatorPart = {
  account: 'capture-schedules',
  rules: [
    rule(SCHEDULE_GROUP, ['captureschedules'], ['get', ...WATCH]),
    rule(SCHEDULE_GROUP, ['captureschedules/status'], ['patch']),
    rule(MANIFEST_GROUP, ['manifestcapturerequests'], ['get', 'create', 'delete']),
    rule(VOLUME_GROUP, ['volumecapturerequests'], ['get', 'create', 'delete']),
    rule('', ['persistentvolumeclaims'], ['get', 'list']),
    READ_WEBHOOK,
    EVENTS,
  ],
  verbsOnAnyKind: ['list'],
  add: (manager) => addSchedules(manager),
};

/** Its reviews change nothing, so every replica makes them. */
const authorPart: OperatorPart = {
  account: 'capture-authors',
  rules: [rule('authorization.k8s.io', ['subjectaccessreviews'], ['create'])],
  writesOnStandby: true,
  add: (manager) => addAuthorWebhooks(manager),
};

/** Reads what was captured, for those who may, and nothing else. Its reviews change nothing. */
const readPart: OperatorPart = {
  account: 'capture-reader',
  rules: [rule(MANIFEST_GROUP, ['manifestcheckpoints', 'manifestcheckpointcontentchunks'], ['get'])],
  delegatesAuth: true,
  writesOnStandby: true,
  add: (manager) => addReadApi(manager),
};

/**
 * Eight parts with least privileges: the one that reads Secrets cannot delete, the one that deletes cannot create, and
 * only one may create claims and snapshots, the one that checks authors can do nothing else, and the one that serves
 * checkpoints can only read them.
 */
export function capturePartsWith({
  keepers,
  manifests,
  snapshots,
  detaches,
}: CaptureChanges = {}): OperatorParts {
  return {
    resources: [
      OBJECT_KEEPERS,
      MANIFEST_CAPTURE_REQUESTS,
      MANIFEST_CHECKPOINTS,
      CONTENT_CHUNKS,
      VOLUME_CAPTURE_REQUESTS,
      VOLUME_RESTORE_REQUESTS,
      CAPTURE_SCHEDULES,
    ],
    webhooks: [RECORD_AUTHOR, CHECK_AUTHOR],
    unchecked: uncheckedAuthors,
    apiServices: [READ_API_SERVICE],
    alerts: captureAlerts,
    parts: [
      keeperPart(keepers),
      manifestPart(manifests),
      volumePart(snapshots),
      detachPart(detaches),
      schedulePart,
      expiryPart,
      authorPart,
      readPart,
    ],
  };
}

export const captureParts: OperatorParts = capturePartsWith();
