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
 * A part of an operator with a service account of its own: controllers, or a webhook handler. Most operators have one.
 */
export type OperatorPart = {
  /** The service account's name. */
  readonly account: string;
  /** The least privileges it needs, not counting objects of users' kinds. */
  readonly rules: readonly PolicyRule[];
  /**
   * The verbs it needs on objects of any kind. An administrator grants the kinds with ClusterRoles labelled
   * `kubewright.io/aggregate-to-ACCOUNT: "true"`.
   */
  readonly verbsOnAnyKind?: readonly string[];
  /**
   * It writes without being the leader: its webhook runs on standby replicas too and records what it saw. Such writes
   * must be safe when two replicas make them. Default: only the leader writes.
   */
  readonly writesOnStandby?: true;
  /**
   * It serves an API (`manager.webhookServer().serveApi`) and asks the API server who its callers are and what they
   * may do: it is bound to `system:auth-delegator` and may read `extension-apiserver-authentication`.
   */
  readonly delegatesAuth?: true;
  /** Adds its controllers and webhooks to a manager that writes as the account and has not started yet. */
  add(manager: Manager, env: Environment): void;
};

/** What is installed and run for an operator. */
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
  /**
   * Whether an API server reaches its webhooks, by a dry run. It does nothing unless they are called. Rejects with an
   * ApiError where that is not known.
   */
  readonly isCalled?: (client: Client) => Promise<boolean>;
  /**
   * What it does not check on a cluster that calls none of its webhooks, where it works without them; undefined where they
   * are installed. Rejects with an ApiError where that is not known.
   */
  readonly unchecked?: (client: Client, signal: AbortSignal) => Promise<string | undefined>;
  /**
   * APIServices of the APIs that parts serve. Their `spec.service` is the manager's address, filled in when they are
   * installed, and their `caBundle` the manager's, as with webhooks.
   */
  readonly apiServices?: readonly KubeObject[];
  /** What Prometheus alerts people to. */
  readonly alerts?: readonly Alert[];
};

/** One alerting rule of Prometheus. */
export type Alert = {
  readonly name: string;
  /** PromQL. */
  readonly expr: string;
  /** How long it must hold, as `15m`; default: not at all. */
  readonly for?: string;
  readonly severity: 'warning' | 'critical';
  /** One line. */
  readonly summary: string;
  /** What to look at next. */
  readonly description: string;
};

/**
 * One operator, as the manager, the installer, the command line, the demo and the simulation see it. The command line
 * reads it for `--help`, which must be fast: only types are imported statically.
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
  /** Its demo. */
  readonly demo?: Demo;
  load(): Promise<OperatorParts>;
};

/** A use case of the operator, played on a cluster where it runs. */
export type Demo = {
  /** What happens, as a heading. */
  readonly title: string;
  /** Command lines that show what the demo has left on the cluster. */
  readonly next: readonly string[];
  /** Images by the module that their containers run, as Node.js worker threads on an embedded cluster. */
  readonly images?: Readonly<Record<string, string>>;
  /** Settings without which it cannot be played, where the cluster is made for the demo and nobody has set others. */
  readonly settings?: Environment;
  /** Prints a few lines. Rejects when the operator does not do what it should. */
  play(stage: DemoStage): Promise<void>;
};

/** What a demo works with. */
export type Stage = {
  readonly client: Client;
  readonly out: (text: string) => void;
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** Discovers the resources that the server serves. */
  readonly discover: () => Promise<Discovered>;
};

/** The tools of a demo. The signal is aborted when the cluster or the demo ends. */
export type DemoStage = Stage & {
  /** The log of a pod's only container. */
  readonly log: (pod: ObjectKey, options: { readonly tailLines: number }) => Promise<string>;
  /** A client that impersonates another user. */
  readonly as: (user: { readonly username: string; readonly groups: readonly string[] }) => Client;
};

export type DryRun = 'client' | 'server';

/** What a command works with. */
export type CommandStage = Stage & {
  /** From `--namespace`, else from the kubeconfig's context. */
  readonly namespace: string;
  /** Resolves a resource by plural, singular, short name or kind. */
  findResource(name: string): Promise<ResourceRef>;
  /** The OpenAPI schema that the server publishes for a kind; undefined where it has none. */
  findSchema(ref: ResourceRef): Promise<SchemaNode | undefined>;
  /** The response to a GET of a path that is no object: the server's version, a probe of a pod. */
  readonly getText: (path: string) => Promise<{ readonly status: number; readonly text: string }>;
  /**
   * With `--dry-run`: nothing is stored. `client`: no write is sent, either; `server`: the server checks it. What would
   * follow a write does not come, so that nobody waits for it.
   */
  readonly dryRun?: DryRun;
  /** Prints the result in the format of `--output`, or as text. */
  readonly print: (result: CommandResult) => void;
  /**
   * Shows how far the command is, in one line that the next call replaces; an empty one ends that. Where there is no
   * terminal, the line is printed every few seconds.
   */
  readonly progress: (line: string) => void;
};

/** What a command prints with, also without a cluster. */
export type CommandTerminal = Pick<CommandStage, 'out' | 'paint' | 'signal' | 'print' | 'progress'>;

/** The result of a command, for programs and for people. */
export type CommandResult = {
  readonly json: Json;
  /** `isWide`: with `-o wide`. */
  readonly text: (isWide?: boolean) => string;
  /** Of a list: each as `TYPE/NAME`, for `-o name`. */
  readonly names?: readonly string[];
  /** Of a list that is empty: one line, for people, which goes to stderr. */
  readonly none?: string;
  /** Of a list: it prints no titles. */
  readonly hasTitles?: boolean;
  /** One of a list that goes on, and not the first: what separates the two precedes it. */
  readonly follows?: boolean;
};

/** The arguments of a command. */
export type CommandCall = {
  readonly args: readonly (string | undefined)[];
  /** By name, in camel case. A flag without a value is `true`, as text. */
  readonly options: Readonly<Record<string, string | undefined>>;
};

/** A command at a terminal. */
export type CommandRun = CommandCall & { readonly terminal: CommandTerminal };

/** What people call a kind of object: plural, singular and short name, the first two also with the group. */
export type ResourceNames = {
  readonly plural: string;
  readonly singular: string;
  /** Absent: the core group. */
  readonly group?: string;
  readonly shortName?: string;
};

/** A verb of the command line. `--kubeconfig`, `--context` and `--namespace` come with it. */
export type OperatorCommand = {
  /** One word or two: `owners`, `drift list`. A command of one word may have verbs: `owners`, `owners scan`. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /** The second of two words may be left out: `migrate pod/NAME` is `migrate pod pod/NAME`. */
  readonly isDefault?: boolean;
  /** `<required>` or `[optional]`, with one line for help. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** What the first argument names: `TYPE/NAME` and `TYPE NAME` are accepted, too. */
  readonly names?: ResourceNames;
  /** `--flag`, or `--flag <value>` with its default where it has one. */
  readonly options?: Readonly<Record<string, { readonly help: string; readonly default?: string }>>;
  /** What `--namespace` is when it is not given. Default: that of the kubeconfig's context. */
  readonly namespaceDefault?: string;
  /** Accepts `--output json|yaml|jsonpath=…`, see {@link CommandStage.print}. */
  readonly hasOutput?: boolean;
  /**
   * It writes objects of the cluster, and accepts `--dry-run client|server`. `objects`: these are its result, which `--output`
   * prints, and its client makes dry runs; `own`: it does both itself.
   */
  readonly writes?: 'objects' | 'own';
  /** It looks for something, and accepts `--exit-code`: where there is some, it ends with `Differs`, and errors with 2. */
  readonly finds?: string;
  /** A list, see `runList`: accepts `--all-namespaces`, `--watch`, `--no-headers`, and every form of `--output`. */
  readonly isList?: boolean;
  /** For `kubewright --help`: a command line, and what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** The exit code of errors where 1 means that something differs (`Differs`), as with `kubectl diff`, or is denied (`Denied`). Default 1. */
  readonly errorExitCode?: number;
  /** What is left behind where a signal interrupts it, in words that say how to go on. Absent: it changes nothing. */
  readonly leaves?: string;
  /** Connects on demand, so that usage errors need no cluster. */
  run(call: CommandRun, connect: () => Promise<CommandStage>): Promise<void>;
};
