import type { Client, Discovered, ObjectKey, ResourceRef } from '@kubewright/client';
import type { CustomResource, Json, KubeObject } from '@kubewright/kube';
import type { SchemaNode } from '@kubewright/kube/schema';
import type { Manager } from '@kubewright/runtime';
import type { Paint } from './paint.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One rule of a ClusterRole. */
export type PolicyRule = {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
};

/**
 * A part of an operator that acts under a service account of its own: a controller, or what answers webhooks. Most
 * operators have one.
 */
export type OperatorPart = {
  /** The service account's name. */
  readonly account: string;
  /** The least that it needs, beside objects of users' kinds. */
  readonly rules: readonly PolicyRule[];
  /**
   * What it does with objects of any kind, as verbs. Of which kinds, an administrator says by ClusterRoles with the label
   * `kubewright.io/aggregate-to-ACCOUNT: "true"`.
   */
  readonly verbsOnAnyKind?: readonly string[];
  /**
   * Its writes need no leader: it answers webhooks on standby too, and writes down what it has seen. They must be safe when
   * two replicas make them. Default: only the leader's writes are sent.
   */
  readonly writesOnStandby?: true;
  /** Adds its controllers and webhooks to a manager that writes as the account and is not started yet. */
  add(manager: Manager, env: Environment): void;
};

/** What of an operator is installed and run. */
export type OperatorParts = {
  readonly resources: readonly Pick<
    CustomResource<KubeObject>,
    'definition' | 'group' | 'version' | 'kind'
  >[];
  readonly parts: readonly OperatorPart[];
  /**
   * WebhookConfigurations with rules and failure policies. A webhook's `clientConfig.service` needs only the `path`, at
   * which a part registers its handler (`manager.webhookServer()`): the manager's address is filled in when they are
   * installed, and the `caBundle` by the manager.
   */
  readonly webhooks?: readonly KubeObject[];
};

/**
 * One operator, as the manager, the installer, the command line, the demo and the simulation see it. It is read for
 * the command line's help, which has to be quick: all that imports more than types is imported by its functions.
 */
export type Operator = {
  /** Lower case; what `--operators` takes. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /** Environment variables that it reads, each with one line for help. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What it adds to the command line. */
  readonly commands?: readonly OperatorCommand[];
  /** Its use case. */
  readonly demo?: Demo;
  load(): Promise<OperatorParts>;
};

/** The use case of an operator, played on a cluster where it runs. */
export type Demo = {
  /** What happens, as a heading. */
  readonly title: string;
  /** Command lines that show what the demo has left on the cluster. */
  readonly next: readonly string[];
  /** Modules that containers of an image run, as threads of Node, on a cluster in the process that has the operator. */
  readonly images?: Readonly<Record<string, string>>;
  /** Prints a paragraph. Rejects when the operator has not done what it is for. */
  play(stage: DemoStage): Promise<void>;
};

/** What a demo works with. */
export type Stage = {
  readonly client: Client;
  readonly out: (text: string) => void;
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** All that the server serves. */
  readonly discover: () => Promise<Discovered>;
};

/** A stage on which several people, and controllers, play. Its signal is aborted when the cluster, or the demo, is over. */
export type DemoStage = Stage & {
  /** The log of a pod's only container. */
  readonly log: (pod: ObjectKey, options: { readonly tailLines: number }) => Promise<string>;
  /** Calls as somebody else: the caller may impersonate. */
  readonly as: (user: { readonly username: string; readonly groups: readonly string[] }) => Client;
};

/** What a command works with. */
export type CommandStage = Stage & {
  /** What `--namespace` says, or else the kubeconfig's context. */
  readonly namespace: string;
  /** The resource that people call by a plural, singular, short name or kind. */
  findResource(name: string): Promise<ResourceRef>;
  /** The schema that the server publishes for a kind; undefined where it has none. */
  findSchema(ref: ResourceRef): Promise<SchemaNode | undefined>;
  /** Prints what the command was called for: as `--output` says, or else as text. */
  readonly print: (result: CommandResult) => void;
};

/** What a command has to say, for programs and for people. */
export type CommandResult = { readonly json: Json; readonly text: () => string };

/** How a command was called. */
export type CommandCall = {
  readonly args: readonly (string | undefined)[];
  /** By name, in camel case. */
  readonly options: Readonly<Record<string, string | undefined>>;
};

/** A verb of the command line. `--kubeconfig`, `--context` and `--namespace` come with it. */
export type OperatorCommand = {
  /** One word or two: `owners`, `drift list`. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /** Of two words, the second may be left out: `migrate pod/NAME` is `migrate pod pod/NAME`. */
  readonly isDefault?: boolean;
  /** `<required>` or `[optional]`, with one line for help. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** `--flag <value>`, with its default where it has one. */
  readonly options?: Readonly<Record<string, { readonly help: string; readonly default?: string }>>;
  /** Takes `--output json|yaml`, which {@link CommandStage.print} obeys. */
  readonly hasOutput?: boolean;
  /** For `kubewright --help`: a command line, and what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** Connects when it is due: what is wrong with the call itself needs no cluster. */
  run(call: CommandCall, connect: () => Promise<CommandStage>): Promise<void>;
};
