import * as http2 from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';

/** Assumed until the server's SETTINGS arrive. */
const STREAMS_BEFORE_SETTINGS = 100;
/** Bytes that the server may send ahead of us, per stream and per connection: lists are large, and round trips cost. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 32 * 1024 * 1024;
const SESSION_MEMORY_MB = 1024;

/** How often pending writes are checked, within the time after which an idle connection is pinged. */
const LOOKS = 6;

/** What a check has seen; the next one compares. */
type Look = { readonly isStuck: boolean; readonly written: number; readonly sign: number };

export type KeepAlive = { readonly clock: Clock; readonly afterMs: number; readonly timeoutMs: number };

/**
 * One HTTP/2 connection: how many of its streams are taken, and whether it may take more.
 *
 * Invariant: `taken` is the number of calls that hold a slot; each gives it back exactly once through the pool.
 * A connection leaves service for good by GOAWAY, by an unanswered PING, or by closing.
 */
export class Http2Session {
  readonly raw: http2.ClientHttp2Session;
  taken = 0;
  #limit = STREAMS_BEFORE_SETTINGS;
  #draining = false;
  #lastSign: number;
  #cancelPing: () => void = () => undefined;
  #cancelLook: () => void = () => undefined;
  readonly #keepAlive: KeepAlive;
  readonly #socket: Socket;

  constructor(authority: string, socket: Socket, keepAlive: KeepAlive, onGone: () => void) {
    this.#keepAlive = keepAlive;
    this.#socket = socket;
    this.#lastSign = keepAlive.clock.monotonic();
    this.raw = http2.connect(authority, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    this.raw.on('connect', () => this.raw.setLocalWindowSize(CONNECTION_WINDOW));
    this.raw.on('remoteSettings', (settings) => {
      this.#limit = settings.maxConcurrentStreams ?? this.#limit;
    });
    // Streams that the server did not process fail one by one with REFUSED_STREAM; the others finish.
    this.raw.on('goaway', () => {
      this.#draining = true;
      onGone();
    });
    // The streams carry the error to their callers; without a listener it would crash the process.
    this.raw.on('error', () => undefined);
    this.raw.on('close', () => {
      this.#draining = true;
      this.#cancelTimers();
      onGone();
    });
    this.#schedulePing(keepAlive.afterMs);
    this.#scheduleLook(undefined);
    this.idle();
  }

  get open(): boolean {
    return !this.#draining && !this.raw.closed && !this.raw.destroyed;
  }

  get free(): boolean {
    return this.open && this.taken < this.#limit;
  }

  /** The server sent something. */
  heard(): void {
    this.#lastSign = this.#keepAlive.clock.monotonic();
  }

  /** A connection without calls does not keep the process alive. */
  idle(): void {
    if (!this.raw.destroyed) this.raw.unref();
  }

  busy(): void {
    if (!this.raw.destroyed) this.raw.ref();
  }

  /** Takes no further calls; those under way finish. */
  retire(): void {
    this.#draining = true;
    if (!this.raw.destroyed) this.raw.close();
  }

  destroy(reason: string): void {
    this.#draining = true;
    this.#cancelTimers();
    this.raw.destroy(localError('ConnectionFailed', reason), http2.constants.NGHTTP2_CANCEL);
  }

  #cancelTimers(): void {
    this.#cancelPing();
    this.#cancelLook();
  }

  /**
   * Node misses the reset of a connection that it is writing to: it waits for that write to end and reads nothing
   * meanwhile. Such a connection has frames to write, and between two checks neither sends nor receives a byte.
   */
  #scheduleLook(before: Look | undefined): void {
    const { clock, afterMs } = this.#keepAlive;
    const look = (): void => {
      if (!this.open) return;
      const queued = this.raw.state.outboundQueueSize ?? 0;
      const now = { isStuck: queued > 0, written: this.#socket.bytesWritten, sign: this.#lastSign };
      const same = before?.isStuck === true && now.isStuck && before.written === now.written;
      if (same && before.sign === now.sign) this.destroy('the connection takes no more bytes');
      else this.#scheduleLook(now);
    };
    this.#cancelLook = clock.after(afterMs / LOOKS, look, { background: true });
  }

  #schedulePing(afterMs: number): void {
    const { clock } = this.#keepAlive;
    this.#cancelPing = clock.after(afterMs, () => this.#pingIfSilent(), { background: true });
  }

  #pingIfSilent(): void {
    const { clock, afterMs, timeoutMs } = this.#keepAlive;
    const silent = clock.monotonic() - this.#lastSign;
    if (silent < afterMs) {
      this.#schedulePing(afterMs - silent);
      return;
    }
    const giveUp = (): void => this.destroy(`the server did not answer a PING within ${timeoutMs} ms`);
    this.#cancelPing = clock.after(timeoutMs, giveUp, { background: true });
    const sent = !this.raw.destroyed && this.raw.ping(() => this.#ponged());
    if (!sent) giveUp();
  }

  #ponged(): void {
    if (!this.open) return;
    this.#cancelPing();
    this.heard();
    this.#schedulePing(this.#keepAlive.afterMs);
  }
}
