import type { Socket } from 'node:net';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { BrokerCore } from '../in-process/broker-core.ts';
import { AmqpChannel } from './amqp-channel.ts';
import { type Frame, FRAME_MAX, frame, FrameParser } from './frame-parser.ts';
import { idOf, type Method, type MethodName, readMethod, writeMethod } from './method.ts';
import { textOf, type Values } from './topology-methods.ts';

export type Credentials = { readonly username: string; readonly password: string };

const HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);
const CHANNEL_MAX = 2047;
const CODES: Readonly<Record<string, number>> = {
  NotFound: 404,
  Forbidden: 403,
  AlreadyExists: 405,
  Failed: 406,
};
const SYNTAX_ERROR = 502;
const ACCESS_REFUSED = 403;
const FORCED = 320;

/** One client's connection. */
export class AmqpSocket {
  readonly #socket: Socket;
  readonly #core: BrokerCore;
  readonly #credentials: Credentials;
  readonly #parser = new FrameParser();
  readonly #channels = new Map<number, AmqpChannel>();
  /** Channels closed by this side: frames for them are ignored until the client confirms. */
  readonly #closing = new Set<number>();
  #frameMax = FRAME_MAX;
  #begun: Buffer | undefined = Buffer.alloc(0);
  #isAuthenticated = false;

  constructor(socket: Socket, core: BrokerCore, credentials: Credentials) {
    this.#socket = socket;
    this.#core = core;
    this.#credentials = credentials;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#closed());
  }

  /** Sends heartbeats while the client is idle. */
  heartbeat(): void {
    if (this.#isAuthenticated) this.#write(frame('heartbeat', 0, Buffer.alloc(0)));
  }

  /** Unacked messages are requeued. */
  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      const bytes = this.#begun === undefined ? chunk : this.#begin(Buffer.concat([this.#begun, chunk]));
      for (const one of this.#parser.parse(bytes)) this.#frame(one);
    } catch (error) {
      this.#refuse(SYNTAX_ERROR, errorText(error));
    }
  }

  /** The protocol header precedes all frames. */
  #begin(bytes: Buffer): Buffer {
    if (bytes.length < HEADER.length) {
      this.#begun = bytes;
      return Buffer.alloc(0);
    }
    if (!bytes.subarray(0, HEADER.length).equals(HEADER)) {
      this.#socket.end(HEADER);
      return Buffer.alloc(0);
    }
    this.#begun = undefined;
    const capabilities = { publisher_confirms: true, 'basic.nack': true, consumer_cancel_notify: true };
    // What it does with quorum queues is what RabbitMQ 4.3 does.
    const properties = { product: 'Kubewright', version: '4.3.0', capabilities };
    this.#send('connection.start', { minor: 9, properties, mechanisms: 'PLAIN', locales: 'en_US' });
    return bytes.subarray(HEADER.length);
  }

  #frame(one: Frame): void {
    if (one.type === 'heartbeat') return;
    if (one.channel === 0) this.#connection(readMethod(one.payload));
    else if (this.#isAuthenticated) this.#channel(one);
    else throw new OperatorError('Usage', 'the connection is not open yet');
  }

  #connection({ name, values }: Method): void {
    if (name === 'connection.start-ok') return this.#authenticate(textOf(values, 'response'));
    if (name === 'connection.tune-ok') {
      const wanted = Number(values['frameMax']);
      this.#frameMax = wanted === 0 ? FRAME_MAX : Math.max(4096, Math.min(wanted, FRAME_MAX));
    } else if (name === 'connection.open') this.#send('connection.open-ok');
    else if (name === 'connection.close') {
      this.#send('connection.close-ok');
      this.#socket.end();
    } else if (name !== 'connection.close-ok') throw new OperatorError('Usage', `${name} on channel 0`);
  }

  /** PLAIN: two strings, each after a zero byte. */
  #authenticate(response: string): void {
    const { username, password } = this.#credentials;
    this.#isAuthenticated = response === `\0${username}\0${password}`;
    if (!this.#isAuthenticated) return this.#refuse(ACCESS_REFUSED, 'ACCESS_REFUSED - login was refused');
    this.#send('connection.tune', { channelMax: CHANNEL_MAX, frameMax: FRAME_MAX, heartbeat: HEARTBEAT_S });
  }

  #channel(one: Frame): void {
    const method = one.type === 'method' ? readMethod(one.payload) : undefined;
    const name = method?.name ?? 'basic.publish';
    if (name === 'channel.close-ok') this.#closing.delete(one.channel);
    else if (name === 'channel.open') this.#open(one.channel);
    else if (!this.#closing.has(one.channel)) this.#pass(one, name, method?.values);
  }

  /** Passes a method, or a part of a message, to the channel. */
  #pass(one: Frame, name: MethodName, values: Values | undefined): void {
    const channel = this.#channels.get(one.channel);
    if (channel === undefined) throw new OperatorError('Usage', `channel ${one.channel} is not open`);
    try {
      if (name === 'channel.close') this.#close(one.channel, channel);
      else if (values === undefined) channel.content(one);
      else channel.method(name, values);
    } catch (error) {
      if (!isOfChannel(error)) throw error;
      this.#reject(one.channel, error, name);
    }
  }

  #open(id: number): void {
    if (this.#channels.has(id) || id > CHANNEL_MAX)
      throw new OperatorError('Usage', `channel ${id} cannot be opened`);
    const channel = new AmqpChannel({
      core: this.#core,
      id,
      connection: this,
      frameMax: this.#frameMax,
      write: (bytes) => this.#write(bytes),
      // Connections are lost as a whole.
      closed: () => this.#channels.has(id) && this.#socket.destroy(),
    });
    this.#channels.set(id, channel);
    channel.send('channel.open-ok');
  }

  #close(id: number, channel: AmqpChannel): void {
    this.#channels.delete(id);
    channel.close();
    channel.send('channel.close-ok');
  }

  #reject(id: number, { code, message }: OperatorError, name: MethodName): void {
    const channel = this.#channels.get(id);
    this.#channels.delete(id);
    this.#closing.add(id);
    channel?.close();
    channel?.send('channel.close', { code: CODES[code] ?? FORCED, text: message, ...idOf(name) });
  }

  #refuse(code: number, text: string): void {
    this.#send('connection.close', { code, text });
    this.#socket.end();
  }

  #send(name: MethodName, values?: Values): void {
    this.#write(frame('method', 0, writeMethod(name, values)));
  }

  #write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  #closed(): void {
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const channel of channels) channel.close();
    this.#core.deleteQueuesOf(this);
  }
}

/** An error on a channel closes that channel; malformed AMQP closes the connection. */
function isOfChannel(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.code !== 'Usage';
}

/** Half the interval between two heartbeats. */
export const HEARTBEAT_S = 20;
