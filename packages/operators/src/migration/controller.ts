import { aborted, corev1 } from '@kubewright/kube';
import {
  createChannelSource,
  decisions,
  type Io,
  type Manager,
  partOf,
  type Reconciler,
  type Steps,
  updateStatus,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import type { OperatorParts } from '../kit/operator.ts';
import { act, type Tools } from './act.ts';
import { migrationAlerts } from './alerts.ts';
import {
  BROKER_SECRET,
  COMPONENT,
  GROUP,
  isTerminal,
  LABELS,
  type MigrationStatus,
  STATEFUL_MIGRATIONS,
  type StatefulMigration,
} from './api.ts';
import type { Brokers } from './brokers/broker.ts';
import { httpNodeAgents } from './checkpoints/http-node-agents.ts';
import type { NodeAgents } from './checkpoints/node-agents.ts';
import { BrokerAddresses } from './brokers/broker-addresses.ts';
import { BrokerPeers } from './brokers/broker-peers.ts';
import { networkBrokers } from './brokers/network-brokers.ts';
import { BrokerOutages } from './broker-outages.ts';
import { decideMigration } from './decide/decide-migration.ts';
import type { MigrationAction, ObservedMigration } from './decide/observed-migration.ts';
import { addIndexes, migrationsOf } from './add-indexes.ts';
import { fencedAgents, fencedBrokers } from './fenced.ts';
import { EVICTIONS, evictionsPart } from './evictions/evictions-part.ts';
import { addCacheMetrics } from './metrics/add-cache-metrics.ts';
import { migrationMetrics } from './metrics/migration-metrics.ts';
import { observe } from './observe.ts';
import { ReportRequests } from './report-requests.ts';
import { readSettings, type Settings } from './settings.ts';
import { MIGRATED_PODS, migratedPods, WEBHOOK_PATH } from './migrated-pods.ts';

/** Of one namespace: what its brokers hold up is its own. */
const CONCURRENT_IN_NAMESPACE = 8;
const CONCURRENT_MIGRATIONS = 4 * CONCURRENT_IN_NAMESPACE;

export type MigrationSteps = Steps<ObservedMigration, MigrationAction, MigrationStatus, StatefulMigration>;

const RULES: OperatorParts['parts'][number]['rules'] = [
  {
    apiGroups: [GROUP],
    resources: ['statefulmigrations'],
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
  },
  { apiGroups: [GROUP], resources: ['statefulmigrations/status'], verbs: ['patch'] },
  {
    apiGroups: [''],
    resources: ['pods'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['apps'], resources: ['statefulsets', 'replicasets'], verbs: ['get'] },
  // The template of a pod that the operator makes again.
  { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['get', 'create', 'delete'] },
  {
    apiGroups: [''],
    resources: ['nodes', 'persistentvolumeclaims', 'persistentvolumes'],
    verbs: ['get'],
  },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [BROKER_SECRET], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** The operator over brokers and agents of some kind. `change` makes it another one only where a simulation shows that it notices bad ones. */
export function migrationPartsWith(
  brokers: () => Brokers,
  change?: (steps: MigrationSteps) => MigrationSteps,
  agents?: () => NodeAgents,
): OperatorParts {
  return {
    resources: [STATEFUL_MIGRATIONS],
    webhooks: [MIGRATED_PODS, EVICTIONS],
    alerts: migrationAlerts,
    parts: [
      {
        account: 'migration',
        rules: RULES,
        add: (manager, env) => {
          const settings = readSettings(env);
          const tools = { brokers: brokers(), agents: agents?.() ?? agentsAt(settings, manager), settings };
          addMigration(manager, tools, change);
        },
      },
      evictionsPart,
    ],
  };
}

/** The operator, over RabbitMQ and NATS JetStream. */
export const migrationParts: OperatorParts = migrationPartsWith(networkBrokers);

type Parts = {
  readonly brokers: Brokers;
  readonly agents: NodeAgents | undefined;
  readonly settings: Settings;
};

function agentsAt(
  { agentUrl: url, agentToken: token, agentCa: caFile, agentClientCert, agentClientKey }: Settings,
  { clock }: Manager,
): NodeAgents | undefined {
  if (url === '') return undefined;
  const certificate = { certFile: agentClientCert, keyFile: agentClientKey };
  const isKnown = agentClientCert !== '' && agentClientKey !== '';
  return httpNodeAgents(
    { url, token, ...(caFile !== '' && { caFile }), ...(isKnown && { certificate }) },
    clock,
  );
}

function addMigration(
  manager: Manager,
  { brokers, agents, settings }: Parts,
  change: (steps: MigrationSteps) => MigrationSteps = (steps) => steps,
): void {
  const addresses = new BrokerAddresses(settings.brokers);
  const outages = new BrokerOutages();
  const { peers, woken } = addPeers(manager, brokers);
  const tools: Tools = {
    peers,
    ...(agents !== undefined && { agents: fencedAgents(agents, manager) }),
    addresses,
    settings,
    outages,
    requests: new ReportRequests(),
  };
  addIndexes(manager.cache);
  const { cache, clock, registry } = manager;
  addCacheMetrics({ migrations: () => cache.list(STATEFUL_MIGRATIONS), clock, registry });
  manager.webhookServer().register(WEBHOOK_PATH, migratedPods(manager));
  const steps = change({
    observe: (request, io: Io) => observe(request, io, tools),
    decide: decideMigration,
    act: (action, io) => act(action, io, tools),
    subject: ({ migration }) => migration,
  });
  manager.addController({
    name: 'statefulmigration',
    reconciler: reconcilerOf(manager, steps),
    sources: [
      watchKind(STATEFUL_MIGRATIONS),
      watchMapped(MIGRATION_PODS, (pod) => migrationsOf(pod, manager.cache)),
      woken,
    ],
    maxConcurrentReconciles: CONCURRENT_MIGRATIONS,
    groups: { of: ({ namespace = '' }) => namespace, maxConcurrent: CONCURRENT_IN_NAMESPACE },
  });
}

function reconcilerOf(manager: Manager, steps: MigrationSteps): Reconciler {
  const metrics = migrationMetrics(manager.registry);
  return decisions(manager, STATEFUL_MIGRATIONS, steps, {
    component: COMPONENT,
    isTerminal,
    async writeStatus(object, status) {
      const stored = await updateStatus(manager, STATEFUL_MIGRATIONS, object, status);
      metrics.note(object.status, stored.status ?? status);
      return stored;
    },
  });
}

/** The brokers; and a source of the migrations that wait for one which now responds. */
function addPeers(manager: Manager, brokers: Brokers) {
  const woken = createChannelSource('brokers');
  const peers = new BrokerPeers(fencedBrokers(brokers, manager), {
    clock: manager.clock,
    log: manager.log,
    wake: (request) => woken.send(request),
  });
  manager.add({
    needLeaderElection: false,
    async start(signal) {
      await aborted(signal);
      await peers.close();
    },
  });
  return { peers, woken };
}

/** Only pods that take part are watched. */
const MIGRATION_PODS = partOf(corev1.pods, 'migration', { labelSelector: LABELS.migration });
