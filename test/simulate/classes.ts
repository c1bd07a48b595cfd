import { ignoreNotFound, sleep } from '@kubewright/client';
import { installDefinitions, type Manager } from '@kubewright/runtime';
import type { ScenarioContext, Scenario } from '@kubewright/cluster';
import { aborted, appsv1, autoscalingv2, corev1, isConditionTrue, type KubeObject } from '@kubewright/kube';
import {
  addClasses,
  addDeployments,
  CLASS_RUNTIMES,
  type ClassRuntime,
  classesParts,
  type ClassSteps,
  type MetricsSource,
  type ServeDeployments,
} from '@kubewright/operators';
import { classesInvariants } from './classes-invariants.ts';
import { reporting } from './classes-looks.ts';
import { WorldMetrics } from './classes-load.ts';
import { knative, rollouts } from './classes-rollouts.ts';
import { KNATIVE_DEFINITION } from '../../packages/operators/src/classes/testing/knative-definition.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { tamperedControllers } from './tampered-controllers.ts';

const NAMESPACE = 'default';
const SHOP = { namespace: NAMESPACE, name: 'shop' };
const BRIEF = { namespace: NAMESPACE, name: 'brief' };
/** Its function has an autoscaler. */
const AUTO = { namespace: NAMESPACE, name: 'auto' };
/** Its function is a Service of Knative. */
const FLUID = { namespace: NAMESPACE, name: 'fluid' };
/** Calls that the operator makes until all is as it has to be, about. */
const CALLS = 110;

/** In seconds. A step of replicas is due well before the cooldown after the last one is over. */
export const TIMES = { interval: 10, stability: 15, cooldown: 60 } as const;
const ENV = {
  OPRC_CRM_ANALYZER_INTERVAL_SECS: String(TIMES.interval),
  OPRC_CRM_NFR_MAX_AGE_SECS: '120',
  // Replicas become less once pods were watched for so long.
  OPRC_CRM_PROM_RANGE: '20s',
  OPRC_CRM_ENFORCEMENT_STABILITY_SECS: String(TIMES.stability),
  OPRC_CRM_ENFORCEMENT_COOLDOWN_SECS: String(TIMES.cooldown),
};

/** An object that one operator creates after the other removed the class's finalizer has no owner any more. */
const collector = tamperedControllers((transport) => transport, {
  controllers: ['garbage-collector-controller'],
});

const write = (
  { client }: ScenarioContext,
  key: typeof SHOP,
  images: readonly string[],
  addons = ['odgm'],
  template?: string,
): Promise<ClassRuntime> =>
  client.apply(
    CLASS_RUNTIMES,
    {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: key,
      spec: {
        addons,
        ...(template === undefined ? {} : { selected_template: template }),
        functions: images.map((container_image, index) => ({
          function_key: `f${index}`,
          provision_config: { container_image },
        })),
        enforcement: { mode: 'enforce', dimensions: ['replicas'] },
      },
    },
    { fieldManager: 'somebody', force: true },
  );

/** Not ours: it bears no label of a class. */
const autoscale = ({ client }: ScenarioContext): Promise<unknown> =>
  client.create(autoscalingv2.horizontalpodautoscalers, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: NAMESPACE, name: 'scaler' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: AUTO.name },
      minReplicas: 1,
      maxReplicas: 10,
    },
  });

/** For some time, perhaps longer than an available class may be unready, nothing of a Deployment is available. */
async function outage({ client, clock, random }: ScenarioContext): Promise<void> {
  for (const availableReplicas of [0, 1]) {
    const body = { status: { replicas: 1, readyReplicas: availableReplicas, availableReplicas } };
    await ignoreNotFound(
      client.patch(
        appsv1.deployments,
        { namespace: NAMESPACE, name: 'shop-odgm' },
        { type: 'merge', body },
        { subresource: 'status' },
      ),
    );
    if (availableReplicas === 0) await sleep(clock, random.below(40_000));
  }
}

/** A class that grows, changes and shrinks, whose load rises, whose data grid fails for a while, and one that lasts for moments. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  const pause = (): Promise<void> => sleep(clock, random.below(4000));
  await write(context, SHOP, ['a:1', 'b:1']);
  await write(context, BRIEF, ['c:1'], ['odgm'], 'knative');
  await write(context, FLUID, ['g:1'], [], 'knative');
  await pause();
  await autoscale(context);
  await write(context, AUTO, ['e:1'], []);
  await write(context, SHOP, ['a:2', 'b:1']);
  await pause();
  await client.delete(CLASS_RUNTIMES, BRIEF);
  await write(context, FLUID, ['g:2'], [], 'knative');
  await pause();
  await write(context, SHOP, ['a:2']);
  await sleep(context.clock, 60_000);
  await outage(context);
}

/** Somebody deletes a Deployment. */
async function rival({ client }: ScenarioContext): Promise<void> {
  await ignoreNotFound(client.delete(appsv1.deployments, { namespace: NAMESPACE, name: 'shop-odgm' }));
}

/** What the load asks for in the end. */
const REPLICAS = 3;
/** The class that a package manager deploys and deletes. */
const DEPLOYED = 'deployed';

const WANTED =
  'Deployment/auto Deployment/shop Deployment/shop-odgm Service/auto Service/shop Service/shop-odgm-svc';

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  // A twin that ends between deploying and deleting leaves a class that somebody asked for.
  await ignoreNotFound(client.delete(CLASS_RUNTIMES, { namespace: NAMESPACE, name: DEPLOYED }));
  const shop = await client.get(CLASS_RUNTIMES, SHOP);
  const auto = await ignoreNotFound(client.get(CLASS_RUNTIMES, AUTO));
  if (auto === undefined) return 'the second class is not there';
  const fluid = await ignoreNotFound(client.get(CLASS_RUNTIMES, FLUID));
  if (fluid === undefined) return 'the class of Knative is not there';
  const late = [shop, auto, fluid].map((each) => lateness(each));
  const open = late.find((why) => why !== undefined);
  if (open !== undefined) return open;
  const scaler = { namespace: NAMESPACE, name: 'scaler' };
  const { spec: autoscaler } = await client.get(autoscalingv2.horizontalpodautoscalers, scaler);
  if (autoscaler.minReplicas !== REPLICAS) return `the autoscaler's minimum is ${autoscaler.minReplicas}`;
  const found = [
    ...(await client.list(appsv1.deployments, { namespace: NAMESPACE })).items,
    ...(await client.list(corev1.services, { namespace: NAMESPACE })).items,
  ];
  // Knative passes the label on to what it makes itself.
  const ours = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
    ownerReferences.some(({ kind }) => kind === 'ClassRuntime');
  const names = found.filter(ours).map(titleOf);
  if (names.toSorted((a, b) => (a < b ? -1 : 1)).join(' ') !== WANTED)
    return `objects are ${names.join(' ')}`;
  const replicas = found.map(({ spec }) =>
    spec !== undefined && 'replicas' in spec ? spec.replicas : undefined,
  );
  if (!replicas.includes(REPLICAS)) return `replicas are ${replicas.join(' ')}`;
  const { items } = await client.list(CLASS_RUNTIMES, { namespace: NAMESPACE });
  return items.length === 3 ? undefined : 'another class is still there';
}

function lateness({ metadata, status = {} }: ClassRuntime): string | undefined {
  const { phase = 'none', observed_generation, conditions, message } = status;
  if (phase !== 'available' || observed_generation !== metadata.generation)
    return `${metadata.name} is ${phase}: ${message}`;
  if (!isConditionTrue(conditions, 'NfrObserved')) return `the load of ${metadata.name} is not observed`;
  return isConditionTrue(conditions, 'NfrEnforced')
    ? undefined
    : `replicas of ${metadata.name} are not enforced`;
}

function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

/** Deploys a class and deletes it, over again until all calls of one round succeed. There is no socket in a world. */
const packageManager: ServeDeployments = async (calls, _listen, { clock }, signal) => {
  const caller = { signal };
  const unit = {
    id: DEPLOYED,
    package_name: 'p',
    class_key: 'c',
    functions: [{ function_key: 'f', provision_config: { container_image: 'd:1' } }],
    target_env: '',
    function_bindings: [],
  };
  const round = async (): Promise<void> => {
    await calls.Deploy({ deployment_unit: unit }, caller);
    await calls.ListClassRuntimes({}, caller);
    await calls.GetEnvHealth({ env: '' }, caller);
    await calls.DeleteDeployment({ deployment_id: DEPLOYED }, caller);
  };
  const isDone = (): Promise<boolean> =>
    round().then(
      () => true,
      () => false,
    );
  while (!signal.aborted && !(await isDone())) await sleep(clock, 1000, signal);
  await aborted(signal);
};

/** An operator that is broken on purpose: its decisions, or how it asks for the load. */
type Broken = {
  readonly change?: ((steps: ClassSteps) => ClassSteps) | undefined;
  readonly ask?: ((source: MetricsSource) => MetricsSource) | undefined;
};

/** The operator, with somebody to ask for the load; it reports each decision. */
function operatorWith(
  metrics: WorldMetrics,
  { change, ask }: Broken,
): NonNullable<OperatorDay['operatorIn']> {
  return ({ parts, ...operator }, environment) => {
    const changed = (steps: ClassSteps): ClassSteps => reporting(environment, change?.(steps) ?? steps);
    const sourceFor = (manager: Manager): MetricsSource => {
      const source = metrics.source(manager);
      return ask?.(source) ?? source;
    };
    return {
      ...operator,
      parts: parts.map((part) => ({
        ...part,
        add: (...[manager, env]: Parameters<typeof addClasses>) =>
          part.account === 'classes'
            ? addClasses(manager, env, { source: sourceFor(manager), change: changed })
            : addDeployments(manager, env, { listen: { host: 'nowhere', port: 0 }, serve: packageManager }),
      })),
    };
  };
}

/** What is different in each of its scenarios: the worlds of one are played one after another. */
function measuredDay(broken: Broken): Pick<OperatorDay, 'operatorIn' | 'components' | 'missing'> {
  const metrics = new WorldMetrics();
  return {
    operatorIn: operatorWith(metrics, broken),
    components: [rollouts, collector, knative, metrics.component],
    missing: async (context) =>
      (await missing(context)) ??
      (metrics.isTroubled(context.clock.monotonic()) ? 'the source of metrics is in trouble' : undefined),
  };
}

/** Classes that people make, change and delete, one of them with an autoscaler, while somebody deletes what was made of them, and load rises. */
const classesDay: OperatorDay = {
  name: 'classes',
  operator: classesParts,
  env: ENV,
  ...measuredDay({}),
  observed: [
    ['oaas.io', 'classruntimes'],
    ['apps', 'deployments'],
    ['', 'services'],
    ['', 'pods'],
    ['serving.knative.dev', 'services'],
    ['autoscaling', 'horizontalpodautoscalers'],
  ],
  prepare: ({ client }) => installDefinitions(client, [KNATIVE_DEFINITION], { fieldManager: 'knative' }),
  script,
  rival,
  calls: CALLS,
  invariants: classesInvariants(['shop', 'brief', AUTO.name, FLUID.name, DEPLOYED], {
    cooldown: TIMES.cooldown,
    most: REPLICAS,
  }),
};

const GRID = { namespace: NAMESPACE, name: 'grid' };

/** The same, beside a class whose data grid is a StatefulSet, for as long as the script lasts: all that the operator may do. */
export const classesRightsDay: OperatorDay = {
  ...classesDay,
  async script(context) {
    const spec = { addons: ['odgm'], functions: [], odgm: { workload: 'StatefulSet' as const } };
    const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: GRID, spec };
    await context.client.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'somebody' });
    await script(context);
    await context.client.delete(CLASS_RUNTIMES, GRID);
  },
};

/** Of two managers one leads, as where it is installed. One alone elects nobody. */
export function classesScenario(
  change?: (steps: ClassSteps) => ClassSteps,
  { replicas = 2, ask }: { readonly replicas?: 1 | 2; readonly ask?: Broken['ask'] } = {},
): Scenario {
  return operatorScenario({ ...classesDay, replicas, ...measuredDay({ change, ask }) });
}
