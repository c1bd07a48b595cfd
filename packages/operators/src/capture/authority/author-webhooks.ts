import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, MANIFEST_GROUP, VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { CAPTURE_SCHEDULES, SCHEDULE_GROUP } from '../api/capture-schedule.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';

/** Where the webhooks are served. */
export const PATHS = { record: '/record-capture-author', check: '/check-capture-author' } as const;

/** The name of both WebhookConfigurations. */
export const CONFIGURATION = 'kubewright-capture';

const author = (object: string): string =>
  `(has(${object}.metadata.annotations) && '${ANNOTATIONS.author}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${ANNOTATIONS.author}'] : '')`;

const AUTHOR_CHANGES = `request.operation == 'CREATE' || ${author('object')} != ${author('oldObject')}`;

/** New requests, and updates that change who is recorded: all other updates go on while no manager runs. */
const webhook = (
  name: string,
  path: string,
  rules = [
    ruleOf(MANIFEST_GROUP, [MANIFEST_CAPTURE_REQUESTS.resource]),
    ruleOf(VOLUME_GROUP, [VOLUME_CAPTURE_REQUESTS.resource, VOLUME_RESTORE_REQUESTS.resource]),
  ],
  changes = AUTHOR_CHANGES,
) => ({
  name,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
  rules,
  matchConditions: [{ name: 'author-changes', expression: changes }],
  clientConfig: { service: { path } },
});

function ruleOf(group: string, resources: readonly string[]) {
  return {
    apiGroups: [group],
    apiVersions: [VERSION],
    operations: ['CREATE', 'UPDATE'],
    resources,
    scope: 'Namespaced',
  };
}

/** Who changes what a schedule does is its author from then on. */
const scheduleWebhook = (name: string, path: string) =>
  webhook(
    name,
    path,
    [ruleOf(SCHEDULE_GROUP, [CAPTURE_SCHEDULES.resource])],
    `${AUTHOR_CHANGES} || object.spec != oldObject.spec`,
  );

/** Records who creates a request. */
export const RECORD_AUTHOR: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [
    webhook('record-author.capture.kubewright.io', PATHS.record),
    scheduleWebhook('record-schedule-author.capture.kubewright.io', PATHS.record),
  ],
};

/** The webhook without which no request is carried out. */
export const CHECK_WEBHOOK = webhook('check-author.capture.kubewright.io', PATHS.check);

/** The webhook without which no schedule makes requests. */
export const CHECK_SCHEDULE_WEBHOOK = scheduleWebhook(
  'check-schedule-author.capture.kubewright.io',
  PATHS.check,
);

/** Rejects a request whose author may not do what it does: last, when no other webhook can change it any more. */
export const CHECK_AUTHOR: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [CHECK_WEBHOOK, CHECK_SCHEDULE_WEBHOOK],
};
