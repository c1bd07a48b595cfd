export const NATS_VERSION: string;

/** The folder of RabbitMQ 4 from Debian testing, and the Erlang that it needs. */
export function rabbitMqRoot(env?: NodeJS.ProcessEnv): string;

/** Of RabbitMQ 4; `path`: the folder of its Erlang's programs. Undefined where they are missing. */
export function findRabbitMq(
  env?: NodeJS.ProcessEnv,
):
  | { readonly server: string; readonly control: string; readonly path: string; readonly version: string }
  | undefined;

/** The path of `nats-server`, in version {@link NATS_VERSION}; undefined where it is missing. */
export function findNats(env?: NodeJS.ProcessEnv): string | undefined;
