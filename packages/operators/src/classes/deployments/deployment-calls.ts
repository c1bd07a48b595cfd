import { type Client, type Clock, ignoreNotFound } from '@kubewright/client';
import { compareText, corev1, defined } from '@kubewright/kube';
import { CLASS_RUNTIMES, type ClassRuntime, LABELS } from '../api.ts';
import { OperatorError } from '../../operator-error.ts';
import { classOfUnit, nameOfDeployment } from './class-of-unit.ts';
import { environmentHealth } from './environment-health.ts';
import type { ById, DeploymentUnit, ListRequest } from './messages.ts';
import { classKeyOf, packageOf, refsOf, summaryOfClass, summaryText } from './summary-of-class.ts';
import { timestampOf, unitOfClass } from './unit-of-class.ts';

/** The field manager of classes that a package manager deploys. */
const DEPLOYER = 'oprc-crm-grpc';

/** What a call is given beside its request. */
export type Caller = { readonly signal: AbortSignal; readonly correlationId?: string | undefined };

/** Handles one call. An {@link OperatorError} or ApiError becomes its gRPC status. */
type Call<T> = (request: T, caller: Caller) => Promise<object>;

export type DeploymentCalls = {
  readonly Deploy: Call<{ readonly deployment_unit?: DeploymentUnit | null }>;
  readonly GetDeploymentStatus: Call<ById>;
  readonly DeleteDeployment: Call<ById>;
  readonly ListClassRuntimes: Call<ListRequest>;
  readonly GetClassRuntime: Call<ById>;
  readonly GetEnvHealth: Call<{ readonly env: string }>;
};

export type DeploymentOptions = {
  readonly client: Client;
  readonly clock: Clock;
  /** Where classes are. */
  readonly namespace: string;
  readonly availability?: number | undefined;
};

/** The calls of the package manager. They read from the server, not from a cache, and follow their own writes. */
export function deploymentCalls(options: DeploymentOptions): DeploymentCalls {
  const { client, namespace } = options;
  const find = ({ deployment_id }: ById, { signal }: Caller): Promise<ClassRuntime> =>
    getClass(client, { namespace, name: keyOf(deployment_id) }, signal);
  return {
    Deploy: async ({ deployment_unit }, caller) => {
      if (deployment_unit === null || deployment_unit === undefined)
        throw new OperatorError('Usage', 'deployment_unit is required');
      return deploy(deployment_unit, options, caller);
    },
    GetDeploymentStatus: async (request, caller) => {
      const runtime = await find(request, caller);
      return {
        status: 'OK',
        deployment: unitOfClass(runtime),
        message: summaryText(runtime),
        status_resource_refs: refsOf(runtime),
      };
    },
    DeleteDeployment: (request, caller) => remove(request, options, caller),
    ListClassRuntimes: async (request, { signal }) => {
      const { items } = await client.list(CLASS_RUNTIMES, { namespace, signal });
      return { items: selected(items, request).map((runtime) => summaryOfClass(runtime)) };
    },
    GetClassRuntime: async (request, caller) => ({ deployment: summaryOfClass(await find(request, caller)) }),
    GetEnvHealth: (request, caller) => envHealth(request, options, caller),
  };
}

function keyOf(id: string): string {
  if (id === '') throw new OperatorError('Usage', 'deployment_id required');
  const name = nameOfDeployment(id);
  if (name === '') throw new OperatorError('Usage', 'invalid deployment_id: empty after sanitization');
  if (name.length > 63)
    throw new OperatorError('Usage', 'invalid deployment_id: length exceeds 63 characters');
  return name;
}

async function getClass(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<ClassRuntime> {
  const found = await ignoreNotFound(client.get(CLASS_RUNTIMES, key, { signal }));
  if (found === undefined) throw new OperatorError('NotFound', 'deployment not found');
  return found;
}

/** Creates the class, or updates the one that has the same id. */
async function deploy(
  unit: DeploymentUnit,
  { client, namespace }: DeploymentOptions,
  { signal, correlationId }: Caller,
): Promise<object> {
  const name = keyOf(unit.id);
  const existing = await ignoreNotFound(client.get(CLASS_RUNTIMES, { namespace, name }, { signal }));
  checkExisting(existing, name);
  const wanted = classOfUnit(unit, { namespace, name, correlationId });
  const uid = existing?.metadata.uid;
  const guarded = { ...wanted, metadata: { ...wanted.metadata, ...defined({ uid }) } };
  // A class that somebody else creates right now is not taken over: without force, its fields conflict.
  const applied = await client.apply(CLASS_RUNTIMES, guarded, {
    fieldManager: DEPLOYER,
    force: existing !== undefined,
    signal,
  });
  const generation = String(applied.metadata.generation ?? 0);
  return { status: 'OK', deployment_id: unit.id, message: 'accepted', generation };
}

function checkExisting(existing: ClassRuntime | undefined, name: string): void {
  if (existing === undefined) return;
  const { labels, deletionTimestamp } = existing.metadata;
  if (labels?.[LABELS.deployment] !== name)
    throw new OperatorError('AlreadyExists', 'resource name in use by a different deployment');
  if (deletionTimestamp !== undefined)
    throw new OperatorError('Unavailable', 'the deployment is being deleted; try again when it is gone');
}

/** May be repeated: what is gone already is deleted. */
async function remove(
  { deployment_id }: ById,
  { client, namespace }: DeploymentOptions,
  { signal }: Caller,
): Promise<object> {
  const key = { namespace, name: keyOf(deployment_id) };
  const found = await ignoreNotFound(client.get(CLASS_RUNTIMES, key, { signal }));
  if (found === undefined) return { status: 'OK', message: 'deleted' };
  const { metadata } = found;
  if ((metadata.labels?.[LABELS.deployment] ?? key.name) !== key.name)
    throw new OperatorError('AlreadyExists', 'resource name in use by a different deployment');
  const { uid } = metadata;
  await ignoreNotFound(client.delete(CLASS_RUNTIMES, key, { preconditions: { uid }, signal }));
  return { status: 'OK', message: metadata.deletionTimestamp === undefined ? 'deleted' : 'deleting' };
}

/** In the order of names. */
function selected(items: readonly ClassRuntime[], request: ListRequest): readonly ClassRuntime[] {
  const { package_name, class_key, target_env, status, offset = 0, limit = items.length } = request;
  const isWanted = (runtime: ClassRuntime): boolean => {
    const key = classKeyOf(runtime);
    return [
      [package_name, packageOf(key)],
      [class_key, class_key?.includes('.') === true ? key : key.slice(key.lastIndexOf('.') + 1)],
      [target_env, runtime.metadata.namespace],
      [status, summaryText(runtime)],
    ].every(([wanted, found]) => wanted === undefined || wanted === '' || wanted === found);
  };
  return items
    .filter((runtime) => isWanted(runtime))
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
    .slice(offset, offset + limit);
}

async function envHealth(
  { env }: { readonly env: string },
  { client, clock, namespace, availability }: DeploymentOptions,
  { signal }: Caller,
): Promise<object> {
  const { items: nodes } = await client.list(corev1.nodes, { signal });
  const { items: classes } = await client.list(CLASS_RUNTIMES, { namespace, signal });
  return {
    env_name: env === '' ? namespace : env,
    crm_version: 'kubewright',
    last_seen: timestampOf(new Date(clock.now())),
    ...environmentHealth({ nodes, classes, availability }),
  };
}
