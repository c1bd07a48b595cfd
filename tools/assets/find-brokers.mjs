// Finds the brokers of today that are not the host's own: looks, never fetches or builds.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** The version that `nats/go.mod` pins. */
export const NATS_VERSION = pinned();

function pinned() {
  const text = readFileSync(new URL('nats/go.mod', import.meta.url), 'utf8');
  return /nats-server\/v2 (v\S+)$/m.exec(text)[1];
}

/** Where brokers are kept, outside the repository. */
export function brokersDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), 'brokers');
}

/** The folder of RabbitMQ 4 from Debian testing, and the Erlang that it needs. */
export function rabbitMqRoot(env = process.env) {
  return join(brokersDirectory(env), 'rabbitmq');
}

/** The folder of `nats-server`: another version has another one. */
export function natsDirectory(env = process.env) {
  return join(brokersDirectory(env), `nats-${NATS_VERSION}`);
}

/** The programs of a RabbitMQ node; undefined where they are missing. */
export function findRabbitMq(env = process.env) {
  const root = rabbitMqRoot(env);
  const [server, control] = ['rabbitmq-server', 'rabbitmqctl'].map((name) => `usr/lib/rabbitmq/bin/${name}`);
  if (!holds(root, [server, control, 'bin/erl', 'bin/epmd'])) return undefined;
  const [home] = readdirSync(join(root, 'usr/lib/rabbitmq/lib'));
  return {
    server: join(root, server),
    control: join(root, control),
    path: join(root, 'bin'),
    version: home.replace('rabbitmq_server-', ''),
  };
}

/** The path of `nats-server`; undefined where it is missing. */
export function findNats(env = process.env) {
  const directory = natsDirectory(env);
  return holds(directory, ['nats-server']) ? join(directory, 'nats-server') : undefined;
}
