import { defined, type Json } from '@kubewright/kube';
import { decisions, type Manager, watchKind, watchMapped } from '@kubewright/runtime';
import { merged } from '../kit/merged.ts';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { ACCOUNTS, COMPONENT, GROUP, KAUSALITIES } from './api.ts';
import {
  APPROVAL_POLICIES,
  type ApprovalPolicy,
  CLUSTER_APPROVAL_POLICIES,
  type ClusterApprovalPolicy,
} from './approval-policy/approval-policies.ts';
import { approvalPolicySteps } from './approval-policy/approval-policy-steps.ts';
import { type ApprovalRules, approvalRules } from './approval-policy/approval-rules.ts';
import type { RecordPlace } from './annotations/object-record.ts';
import { notedControllers } from './annotations/noted-controllers.ts';
import { approvalsOf, modeOf } from './annotations/find-approval.ts';
import { jsonOf } from './annotations/read-annotation.ts';
import { isCalled } from './approval-policy/is-called.ts';
import { VALIDATION, VALIDATION_PATH, validatePolicies } from './approval-policy/validate-policies.ts';
import { addCounts } from './learning/add-counts.ts';
import { createBrake } from './brake/create-brake.ts';
import { CONTROLLER_PROFILES } from './controller-profile/controller-profiles.ts';
import { type KnownProfiles, knownProfiles } from './controller-profile/known-profiles.ts';
import { profileSteps } from './controller-profile/profile-steps.ts';
import { decideAdmission } from './decide/decide-admission.ts';
import { acceptedBy } from './decide/accepted-by.ts';
import { createLedger } from './decide/ledger.ts';
import { addDecisionLog } from './decision-log/add-decision-log.ts';
import { DECISION_LOGS } from './decision-log/decision-logs.ts';
import { CONFIGURATIONS } from './policy/configurations.ts';
import { policySteps } from './policy/policy-steps.ts';
import { BASE_CONFIGURATION, CONFIGURATION, PATH } from './policy/webhook-entries.ts';
import { configurationRequest, webhookSteps } from './policy/webhook-steps.ts';
import { addRecords } from './records/add-records.ts';
import { addReports } from './reports/add-reports.ts';
import type { ReportedChange } from './reports/drift-report.ts';
import { type IsStored, isUseStored } from './records/record-steps.ts';
import { requestFor } from './records/notes.ts';
import { driftAlerts } from './alerts.ts';
import { placeOf } from './annotations/place-of.ts';
import { type Decide, driftWebhook, type NeedsConfirmation } from './webhook/drift-webhook.ts';
import { createBacklog } from './webhook/create-backlog.ts';
import { knownContents } from './webhook/known-contents.ts';
import { anyOwn, ownAccounts, type OwnWrites, ownUser } from './webhook/own-writes.ts';
import { approvers, type MayApprove } from './webhook/may-approve.ts';
import { createParents } from './webhook/parents.ts';
import { withNotes } from './webhook/with-notes.ts';
import { createReporter } from './webhook/reporter.ts';
import { createToolRecords } from './webhook/tool-records.ts';

const READ = ['get', 'list', 'watch'];

export const driftParts: OperatorParts = {
  resources: [KAUSALITIES, APPROVAL_POLICIES, CLUSTER_APPROVAL_POLICIES, CONTROLLER_PROFILES, DECISION_LOGS],
  webhooks: [BASE_CONFIGURATION, VALIDATION],
  isCalled,
  alerts: driftAlerts,
  parts: [
    {
      account: ACCOUNTS.webhook,
      rules: [
        {
          apiGroups: [GROUP],
          resources: ['kausalities', 'approvalpolicies', 'clusterapprovalpolicies', 'controllerprofiles'],
          verbs: ['list', 'watch'],
        },
        { apiGroups: [GROUP], resources: ['decisionlogs'], verbs: ['get', 'create', 'patch'] },
        // What it counts. A write with a lost response is followed by a read.
        { apiGroups: [GROUP], resources: ['kausalities/status'], verbs: ['patch'] },
        { apiGroups: [GROUP], resources: ['kausalities'], verbs: ['get'] },
        { apiGroups: [''], resources: ['namespaces'], verbs: READ },
        { apiGroups: ['apps'], resources: ['deployments', 'replicasets', 'statefulsets'], verbs: READ },
        { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets'], verbs: ['patch'] },
        // The status subresource changes annotations of a Deployment without raising its generation.
        { apiGroups: ['apps'], resources: ['deployments/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
        // Whether a user may approve.
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
      verbsOnAnyKind: [...READ, 'patch'],
      writesOnStandby: true,
      add(manager, env) {
        manager.webhookServer().register(VALIDATION_PATH, validatePolicies());
        addDriftWebhook(manager, {
          ...driftGuards(manager),
          own: anyOwn(ownAccounts(manager.cache), ownUser(manager.client)),
          reportConfig: reportConfigOf(env),
          decisionLogLimit: decisionLogLimitOf(env),
        });
      },
    },
    {
      account: ACCOUNTS.policies,
      // list and watch of policies are granted to the webhook's account, those of webhook configurations to the
      // manager's.
      rules: [
        // A write with a lost response, or a conflict, is followed by a read.
        {
          apiGroups: [GROUP],
          resources: ['kausalities', 'approvalpolicies', 'clusterapprovalpolicies', 'controllerprofiles'],
          verbs: ['get'],
        },
        {
          apiGroups: [GROUP],
          resources: [
            'kausalities/status',
            'approvalpolicies/status',
            'clusterapprovalpolicies/status',
            'controllerprofiles/status',
          ],
          verbs: ['patch'],
        },
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['mutatingwebhookconfigurations'],
          resourceNames: [CONFIGURATION],
          verbs: ['get', 'patch'],
        },
      ],
      add: (manager) => addPolicies(manager),
    },
  ],
};

const REPORTS = 'DRIFT_REPORTS';

/** The setting has what a config file has, as JSON. */
function reportConfigOf(env: Environment): Json {
  const text = env[REPORTS] ?? '';
  const config = text === '' ? null : jsonOf(text);
  if (config === undefined) throw new OperatorError('Usage', `${REPORTS} is not JSON`);
  return config;
}

const DECISION_LOG = 'DRIFT_DECISION_LOG';
const DECISIONS = 50;
const MOST_DECISIONS = 500;

/** How many decisions the log of each parent keeps; 0: there are no logs. */
function decisionLogLimitOf(env: Environment): number {
  const text = env[DECISION_LOG] ?? '';
  const limit = text === '' ? DECISIONS : Number(text);
  if (!Number.isInteger(limit) || limit < 0 || limit > MOST_DECISIONS)
    throw new OperatorError('Usage', `${DECISION_LOG} is not a number from 0 to ${MOST_DECISIONS}`);
  return limit;
}

/** Replacements, only for simulations that must catch broken variants. */
export type DriftTools = {
  readonly decide: Decide;
  readonly needsConfirmation: NeedsConfirmation;
  readonly isStored: IsStored;
};

/** Where the webhook is served, where it keeps what it records, and how it identifies the operator's own writes. */
type Served = {
  readonly path: string;
  readonly own: OwnWrites;
  readonly mayApprove: MayApprove;
  /** Backends of DriftReports, see {@link addReports}. */
  readonly reportConfig: Json;
  readonly approvalRules: ApprovalRules;
  /** What people have added about controllers. */
  readonly profiles: KnownProfiles;
  /** Default: 0, there are no decision logs. */
  readonly decisionLogLimit: number;
  /** Where what it records is kept. Default: in managedFields. */
  readonly place: RecordPlace;
};

/** Who may approve, with the rights of the webhook, and what policies approve. */
export function driftGuards({
  client,
  cache,
}: Manager): Pick<Served, 'mayApprove' | 'approvalRules' | 'profiles'> {
  return {
    mayApprove: approvers(client),
    approvalRules: approvalRules(cache),
    profiles: knownProfiles(cache),
  };
}

/** What is kept of decisions: in decision logs and, but in place of the original, in the status of policies. */
function keeping(manager: Manager, limit: number, place: RecordPlace): (change: ReportedChange) => void {
  const logDecision = limit === 0 ? undefined : addDecisionLog(manager, limit);
  const count = place === 'annotations' ? undefined : addCounts(manager);
  return (change) => {
    logDecision?.(change);
    count?.(change);
  };
}

/** Adds what runs on every replica: the webhook, and the controller that records what it saw. */
export function addDriftWebhook(manager: Manager, tools: Partial<DriftTools & Served> = {}): void {
  const { decide = decideAdmission, isStored = isUseStored, path = PATH } = tools;
  const { own, mayApprove, approvalRules: rules, reportConfig = null, decisionLogLimit = 0 } = tools;
  const { needsConfirmation, place = 'managedFields', profiles } = tools;
  const { wake, ...notes } = addRecords(manager, isStored, place);
  const reports = addReports(manager, reportConfig);
  const keep = keeping(manager, decisionLogLimit, place);
  const backlog = createBacklog(manager.clock, manager.log);
  const live = createParents(
    manager,
    (parent) => {
      if (reports !== undefined) backlog.drain();
      reports?.parentSeen(parent);
      // The replica that saw a write of the status may be gone.
      const isNoted = place === 'annotations' && notedControllers(parent) !== undefined;
      if (isNoted && notes.of(requestFor(placeOf(parent)).name) === undefined) notes.add(placeOf(parent), {});
      // An approval may have been used while no replica was running.
      if (approvalsOf(parent).some((one) => modeOf(one) === 'once')) wake(requestFor(placeOf(parent)));
    },
    profiles,
  );
  const parents = withNotes(live, notes);
  const brake = createBrake(() => manager.clock.monotonic());
  const ledger = createLedger();
  const kept = (change: ReportedChange): void => {
    const accepted = acceptedBy(change.review, change.facts, change.decision);
    if (accepted !== undefined) ledger.note(change.facts.parent?.metadata.uid ?? '', accepted);
    reports?.decided(change);
    keep(accepted === undefined ? change : merged(change, { accepted }));
  };
  const decided = (change: ReportedChange): void => backlog.add(() => kept(change));
  const report = createReporter(manager, notes, { place, decided });
  const contents = knownContents(manager.client, ledger, backlog);
  // In place of the original, as in the original.
  const toolRecords = place === 'annotations' ? undefined : createToolRecords(manager);
  const given = {
    place,
    contents,
    ...defined({ own, mayApprove, approvalRules: rules, needsConfirmation, toolRecords, profiles }),
  };
  manager.webhookServer().register(path, driftWebhook(manager, { parents, report, decide, brake, ...given }));
}

/** Adds what the leader does: it configures a webhook for each policy, and reports that in the policy's status. */
function addPolicies(manager: Manager): void {
  const everyPolicy = (): readonly { readonly name: string }[] =>
    manager.cache.list(KAUSALITIES).map(({ metadata: { name } }) => ({ name }));
  manager.addController({
    name: 'drift-webhooks',
    reconciler: decisions(manager, CONFIGURATIONS, webhookSteps, { component: COMPONENT }),
    sources: [
      watchMapped(CONFIGURATIONS, () => [configurationRequest]),
      watchMapped(KAUSALITIES, () => [configurationRequest]),
    ],
  });
  manager.addController({
    name: 'kausality',
    reconciler: decisions(manager, KAUSALITIES, policySteps, { component: COMPONENT }),
    sources: [watchMapped(KAUSALITIES, everyPolicy), watchMapped(CONFIGURATIONS, everyPolicy)],
  });
  addApprovalPolicies(manager);
}

/** Reports in the status of approval policies whether their rules can be read. */
function addApprovalPolicies(manager: Manager): void {
  const settings = { component: COMPONENT };
  const ofNamespace = approvalPolicySteps<ApprovalPolicy>((cache, request) =>
    cache.get(APPROVAL_POLICIES, request),
  );
  const ofCluster = approvalPolicySteps<ClusterApprovalPolicy>((cache, request) =>
    cache.get(CLUSTER_APPROVAL_POLICIES, request),
  );
  manager.addController({
    name: 'approvalpolicies',
    reconciler: decisions(manager, APPROVAL_POLICIES, ofNamespace, settings),
    sources: [watchKind(APPROVAL_POLICIES)],
  });
  manager.addController({
    name: 'clusterapprovalpolicies',
    reconciler: decisions(manager, CLUSTER_APPROVAL_POLICIES, ofCluster, settings),
    sources: [watchKind(CLUSTER_APPROVAL_POLICIES)],
  });
  const everyProfile = (): readonly { readonly name: string }[] =>
    manager.cache.list(CONTROLLER_PROFILES).map(({ metadata: { name } }) => ({ name }));
  manager.addController({
    name: 'controllerprofiles',
    reconciler: decisions(manager, CONTROLLER_PROFILES, profileSteps, settings),
    sources: [watchMapped(CONTROLLER_PROFILES, everyProfile)],
  });
}
