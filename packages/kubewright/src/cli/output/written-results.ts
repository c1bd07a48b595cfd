import { type Client, ignoreNotFound, keyOf } from '@kubewright/client';
import { type JsonObject, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import {
  type CommandCall,
  type CommandTerminal,
  dryRunClient,
  type OperatorCommand,
} from '@kubewright/operators';

type DryRun = 'client' | 'server';

/** What a command that writes objects has written, for `--output`; and whether it writes at all. */
export type WrittenResults = {
  readonly dryRun: DryRun | undefined;
  /** The client of the command. */
  record(client: Client): Client;
  /** Prints each object as it is now, if that was asked for. */
  print(to: CommandTerminal['print']): Promise<void>;
};

/** In a dry run nothing is stored, so that the objects are as they would be. */
export function writtenResults(
  { writes }: OperatorCommand,
  { dryRun: how, output }: CommandCall['options'],
): WrittenResults {
  const dryRun = how === 'client' || how === 'server' ? how : undefined;
  const written = new Map<string, Stored>();
  let real: Client | undefined;
  if (writes !== 'objects') return { dryRun, record: (client) => client, print: async () => undefined };
  return {
    dryRun,
    record(client) {
      real = client;
      return recorded(dryRunClient(client, dryRun), written);
    },
    async print(to) {
      if (output === undefined) return;
      const objects = await Promise.all([...written.values()].map((one) => latest(one, real, dryRun)));
      const items = objects.map(withoutManagedFields);
      const [first] = items;
      to({
        json: items.length === 1 && first !== undefined ? first : { apiVersion: 'v1', kind: 'List', items },
        text: () => '',
        names: objects.map(nameOf),
      });
    },
  };
}

function recorded(client: Client, written: Map<string, Stored>): Client {
  const note = <T extends Stored>(object: T): T => {
    written.set(`${nameOf(object)} ${object.metadata.namespace ?? ''}`, object);
    return object;
  };
  return {
    ...client,
    create: async (ref, object, options) => {
      const stored = await client.create(ref, object, options);
      return options?.subresource === undefined ? note(stored) : stored;
    },
    update: async (...call) => note(await client.update(...call)),
    patch: async (...call) => note(await client.patch(...call)),
    apply: async (...call) => note(await client.apply(...call)),
  };
}

async function latest(
  object: Stored,
  client: Client | undefined,
  dryRun: DryRun | undefined,
): Promise<Stored> {
  if (client === undefined || dryRun !== undefined) return object;
  const { group, version, kind } = refOf(object);
  return (await ignoreNotFound(client.get({ group, version, kind }, keyOf(object)))) ?? object;
}

function refOf({ apiVersion, kind }: KubeObject) {
  return { ...parseApiVersion(apiVersion), kind };
}

/** `statefulmigration.migration.ms2m.io/consumer-0`, as kubectl prints it. */
function nameOf(object: Stored): string {
  const { group, kind } = refOf(object);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${object.metadata.name}`;
}

/** kubectl leaves them out, too. */
function withoutManagedFields(object: Stored): JsonObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
