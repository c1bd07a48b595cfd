import type { corev1, Stored } from '@kubewright/kube';

/**
 * One attempt to run a container of a pod. Kubelet numbers them: 0 is the first, n what `restartCount: n` speaks of. An
 * attempt that has ended is never started again.
 */
export type ContainerStart = {
  /** 64 hexadecimal digits; the status shows `<scheme>://<id>`. Decided by pod, container and attempt. */
  readonly id: string;
  readonly attempt: number;
  readonly pod: Stored<corev1.Pod>;
  readonly container: corev1.Container;
  /** Of the pod. */
  readonly ip: string;
  /** The node's name. */
  readonly node: string;
  /** A token of the pod's service account, as kubelet mounts it. Rejects where the server issues none. */
  readonly account?: () => Promise<AccountCredentials>;
};

/** What a container reads of its pod's service account. */
export type AccountCredentials = {
  readonly token: string;
  /** PEM: by what it verifies the API server's certificate. */
  readonly ca: string;
};

/** A TCP address: of a pod, or where it is on this machine. */
export type NetworkAddress = { readonly host: string; readonly port: number };

/** What became of an attempt. Times are milliseconds since 1970. */
export type ContainerState =
  | {
      readonly type: 'running';
      readonly startedAt: number;
      /** False until the startup probe succeeded; true where there is none. */
      readonly started: boolean;
      /** What the readiness probe says; true where there is none. */
      readonly ready: boolean;
      /** Set when the liveness or startup probe has failed for good: kubelet kills the container then. */
      readonly unhealthy?: 'liveness' | 'startup';
    }
  | {
      readonly type: 'exited';
      readonly startedAt: number;
      readonly finishedAt: number;
      /** 128 + n for a signal n; 128 with the reason `StartError` for one that could not even be started. */
      readonly exitCode: number;
      /** Default: `Completed` for exit code 0, else `Error`. Also `OOMKilled`, `StartError`. */
      readonly reason?: string;
      /** Termination message. */
      readonly message?: string;
    };

/** An image as a node finds it. */
export type NodeImage =
  | {
      readonly type: 'available';
      /** The status' `imageID`. */
      readonly id: string;
      readonly sizeBytes: number;
      /** How long a pull takes; 0: it is on every node already. */
      readonly pullMs: number;
    }
  /** It cannot be pulled; people read `message` in the status and in Events. */
  | { readonly type: 'unavailable'; readonly message: string };

/** What a container said. */
export type LogLine = {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly stream: 'stdout' | 'stderr';
  /** Without the line break. */
  readonly text: string;
};

export type LogOptions = {
  /** Goes on with what is said later, until the container ends or `signal` is aborted. */
  readonly follow?: boolean;
  /** Of what was said before, only so many of the latest lines. */
  readonly tail?: number;
  readonly signal?: AbortSignal;
};

/** What a checkpoint holds of a container beside what its pod says. */
export type CheckpointContent = {
  /** The image that it was made from: that of the container, or what that one was restored from. */
  readonly baseImage: string;
  /** Its environment, `NAME=value`: a restored container keeps it. */
  readonly env: readonly string[];
  readonly args: readonly string[];
  /** What it had in mind. */
  readonly state: Uint8Array;
};

/**
 * The seam between a simulated node and what its containers are: the part that CRI is of a kubelet. A node asks its
 * runtimes in order, and the first that `runs` a container has it for good.
 *
 * Promises of an implementation:
 * - `state` is a memory read, and the truth: kubelet's decisions, and the pod's status, are made from it alone.
 * - Whenever what `state` says of a pod's containers has changed by itself, `onChange` callbacks hear of the pod.
 *   Changes that a call of `start` or `stop` made before it returned need no such news.
 * - Nothing throws or rejects. What goes wrong in a container is its state.
 * - The clock and randomness are injected where the implementation is created.
 */
export type ContainerRuntime = {
  /** Scheme of its containers' ids, and `containerRuntimeVersion` of nodes that have no other runtime. */
  readonly scheme: string;
  /** Whether this container is one of its own. Asked again at every attempt; must not change its mind about a pod. */
  runs(pod: Stored<corev1.Pod>, container: corev1.Container): boolean;
  image(pod: Stored<corev1.Pod>, container: corev1.Container): NodeImage;
  /** Begins an attempt. Resolves when `state` knows it: running, or exited with 128 and `StartError`. */
  start(start: ContainerStart): Promise<void>;
  /**
   * Asks a container to end (SIGTERM) and kills it after `graceMs` (SIGKILL, exit code 137). Asked again, the earlier
   * deadline counts. 0 kills at once.
   */
  stop(id: string, graceMs: number): void;
  /** Undefined for what it does not know: never started here, or removed. Such a container is lost (137). */
  state(id: string): ContainerState | undefined;
  /** Forgets an attempt, its logs too; kills it if it runs. */
  remove(id: string): void;
  /** What it said so far, oldest line first; nothing for what it does not know. */
  logs(id: string, options?: LogOptions): AsyncIterable<LogLine>;
  /**
   * Writes down what a running container is, so that another can go on from there; it goes on itself. What stands in the
   * result is the implementation's business. Rejects where it cannot. Absent: it never can.
   */
  checkpoint?(id: string, options: { readonly timeoutMs: number }): Promise<CheckpointContent>;
  /**
   * The pod's status says that this attempt runs, and the node has just begun to look after it: a kubelet was restarted
   * and containers live on. One that still has it, or can simulate that, manages it from now on.
   */
  adopt?(start: ContainerStart, startedAt: number): void;
  /** The pod of an attempt has changed: labels, annotations, grace. */
  update?(id: string, pod: Stored<corev1.Pod>): void;
  /** Where on this machine a container listens that has this address in the cluster. Absent: none ever listens. */
  listening?(address: NetworkAddress): NetworkAddress | undefined;
  /** Returns a function that ends the subscription. */
  onChange(callback: (pod: { readonly namespace: string; readonly name: string }) => void): () => void;
};
