import assert from 'node:assert/strict';
import { assert as check, asyncProperty, integer, record, array, constantFrom } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/support/seeds.ts';
import { fakeIssuer } from '../testing/fake-issuer.ts';
import { caBundleOf, type CertificateBundle, readBundle } from './certificate-bundle.ts';
import {
  allCarry,
  type CertificateSettings,
  type CertificateState,
  type CertificateStep,
  planCertificates,
} from './plan-certificates.ts';
import { changeBundle } from './change-bundle.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const NOW = Date.UTC(2026, 0, 1);
const settings: CertificateSettings = {
  hosts: ['a'],
  leafMs: DAY,
  authorityMs: 14 * DAY,
  settleMs: 5 * MINUTE,
};

/** A bundle made by steps, and how the plan goes on from it. */
async function after(
  ...steps: readonly (readonly [at: number, step: CertificateStep])[]
): Promise<CertificateBundle> {
  let bundle: CertificateBundle | undefined;
  const issuer = fakeIssuer();
  for (const [at, step] of [[0, { type: 'begin', reason: '' }] as const, ...steps])
    bundle = await changeBundle(bundle, step as never, settings, issuer, NOW + at);
  assert(bundle !== undefined, 'no steps');
  return bundle;
}

/** All configurations carry what the bundle says, for as long as can be asked for. */
const configured = (
  bundle: CertificateBundle,
  at = 0,
  more: Partial<CertificateState> = {},
): CertificateState => ({
  stored: bundle,
  held: bundle,
  caBundles: [caBundleOf(bundle), caBundleOf(bundle)],
  carriedMs: HOUR,
  routes: [],
  routedMs: 0,
  startedAt: NOW,
  missingMs: 0,
  now: NOW + at,
  ...more,
});

const addAuthority = { type: 'addAuthority' } as const;
const sign = (authority: string) => ({ type: 'sign', authority, hosts: ['a'] }) as const;

describe('what to do about certificates now', () => {
  it('is to begin where there is nothing, or nothing that is valid', async () => {
    const nothing = {
      stored: undefined,
      held: undefined,
      caBundles: [],
      carriedMs: 0,
      routes: [],
      routedMs: 0,
      startedAt: NOW,
      missingMs: 0,
      now: NOW,
    };
    expect(planCertificates(nothing, settings)).toMatchObject({ type: 'begin' });
    const old = await after();
    expect(planCertificates(configured(old, 15 * DAY), settings)).toMatchObject({
      type: 'begin',
      reason: 'the authority has expired',
    });
    const fresh = await changeBundle(
      old,
      { type: 'begin', reason: '' },
      settings,
      fakeIssuer(),
      NOW + 15 * DAY,
    );
    expect(fresh.generation).toBe(2);
  });

  it('is to let another replica restore what was lost, before one that has just started begins anew', async () => {
    const bundle = await after();
    const lost = { stored: undefined, held: undefined };
    const plan = (more: Partial<CertificateState>): CertificateStep =>
      planCertificates(configured(bundle, 0, { ...lost, ...more }), settings);
    expect(plan({})).toEqual({ type: 'wait', ms: 30_000 });
    expect(plan({ missingMs: 29_999 })).toEqual({ type: 'wait', ms: 1 });
    expect(plan({ missingMs: 30_000 })).toMatchObject({ type: 'begin' });
    expect(plan({ held: bundle })).toEqual({ type: 'restore' });
    expect(plan({ caBundles: ['', '\n'] })).toMatchObject({ type: 'begin' });
  });

  it('is nothing until half of a lifetime is over', async () => {
    const bundle = await after();
    expect(planCertificates(configured(bundle), settings)).toEqual({ type: 'wait', ms: DAY / 2 });
    expect(planCertificates(configured(bundle, DAY / 2 - 1), settings)).toEqual({ type: 'wait', ms: 1 });
    expect(planCertificates(configured(bundle, DAY / 2), settings)).toEqual(sign('CA 1'));
  });

  it('is to give a configuration what it lacks', async () => {
    const bundle = await after();
    const caBundle = '-CA 1-\n';
    for (const other of ['', 'foreign', `${caBundle}foreign`])
      expect(planCertificates(configured(bundle, 0, { caBundles: [caBundle, other] }), settings)).toEqual({
        type: 'configure',
        caBundle,
      });
    expect(planCertificates(configured(bundle, 0, { caBundles: [] }), settings)).toMatchObject({
      type: 'wait',
    });
  });

  it('is to replace a CA in the order: made, carried by all, settled, signs, forgotten', async () => {
    const half = 7 * DAY;
    const first = await after([half, sign('CA 1')]);
    expect(planCertificates(configured(first, half), settings)).toEqual(addAuthority);
    const added = await after([half, sign('CA 1')], [half, addAuthority]);
    const caBundle = '-CA 1-\n-CA 4-\n';
    const lacking = { caBundles: [caBundle, '-CA 1-\n'], carriedMs: 0 };
    expect(planCertificates(configured(added, half, lacking), settings)).toEqual({
      type: 'configure',
      caBundle,
    });
    expect(planCertificates(configured(added, half, { carriedMs: MINUTE }), settings)).toEqual({
      type: 'wait',
      ms: 4 * MINUTE,
    });
    expect(planCertificates(configured(added, half, { carriedMs: 5 * MINUTE }), settings)).toEqual(
      sign('CA 4'),
    );
    const signed = await after([half, sign('CA 1')], [half, addAuthority], [half + HOUR, sign('CA 4')]);
    expect(signed.authorities.map(({ id, key }) => [id, key !== undefined])).toEqual([
      ['CA 1', false],
      ['CA 4', true],
    ]);
    // The last that CA 1 signed is valid until a day after half: some replica may still serve with it.
    expect(planCertificates(configured(signed, half + DAY / 2), settings)).toMatchObject({ type: 'wait' });
    expect(
      planCertificates(
        configured({ ...signed, leaf: { ...signed.leaf, notAfter: NOW + 9 * DAY } }, half + DAY + 5 * MINUTE),
        settings,
      ),
    ).toEqual({
      type: 'forget',
      authorities: ['CA 1'],
    });
  });

  it('is to sign at once where the CA that signs has expired and another is there', async () => {
    const bundle = await after([7 * DAY, addAuthority]);
    expect(planCertificates(configured(bundle, 14 * DAY, { carriedMs: 0 }), settings)).toEqual(sign('CA 3'));
  });

  it('is to put back what was lost, set back or spoilt, unless it has expired', async () => {
    const [old, held] = [await after(), await after([DAY / 2, sign('CA 1')])];
    for (const stored of [undefined, old])
      expect(planCertificates(configured(held, HOUR, { stored }), settings)).toEqual({ type: 'restore' });
    expect(planCertificates(configured(held, 2 * DAY, { stored: undefined }), settings)).toMatchObject({
      type: 'begin',
    });
    expect(planCertificates(configured(old, HOUR, { stored: held }), settings)).toMatchObject({
      type: 'wait',
    });
  });

  it('takes no name from another version of the program', async () => {
    const bundle = await after();
    const wanted = { ...settings, hosts: ['b'] };
    expect(planCertificates(configured(bundle), wanted)).toEqual({
      type: 'sign',
      authority: 'CA 1',
      hosts: ['a', 'b'],
    });
  });

  it('reads back what it wrote, and nothing else', async () => {
    const made = await after([HOUR, addAuthority]);
    const bundle = { ...made, segments: [{ value: `kw-${'0'.repeat(32)}`, since: NOW }] };
    expect(readBundle(JSON.stringify(bundle))).toEqual(bundle);
    const { segments: _none, ...former } = bundle;
    expect(readBundle(JSON.stringify(former))).toEqual({ ...bundle, segments: [] });
    const broken = [
      '',
      '[]',
      '{"__proto__":{"generation":1}}',
      JSON.stringify({ ...bundle, generation: 'x' }),
      JSON.stringify({ ...bundle, leaf: { ...bundle.leaf, authority: 'other' } }),
      JSON.stringify({ ...bundle, authorities: [...bundle.authorities, null] }),
    ];
    for (const text of broken) expect(readBundle(text)).toBeUndefined();
  });
});

describe('the life of certificates', () => {
  const life = record({
    leafMs: constantFrom(HOUR, DAY, 30 * DAY),
    factor: integer({ min: 3, max: 20 }),
    settle: integer({ min: 0, max: 50 }),
    /** How late each look comes, in hundredths of a serving certificate's life, and whether its writes succeed. */
    looks: array(record({ late: integer({ min: 0, max: 30 }), fails: constantFrom(false, false, true) }), {
      minLength: 60,
      maxLength: 120,
    }),
  });

  it('never shows a certificate that a configuration does not trust, nor, while writes succeed, an expired one', async () => {
    await check(
      asyncProperty(life, async ({ leafMs, factor, settle, looks }) => {
        const own = { hosts: ['a'], leafMs, authorityMs: leafMs * factor, settleMs: (leafMs * settle) / 100 };
        await live(own, looks);
      }),
      { numRuns: runs(150) },
    );
  });
});

type Look = { readonly late: number; readonly fails: boolean };

/** One process that looks when it has to, late, and now and then in vain. */
async function live(settings: CertificateSettings, looks: readonly Look[]): Promise<void> {
  const world = new CertificateWorld(settings);
  for (const { late, fails } of looks) {
    const lateMs = (late * settings.leafMs) / 100;
    for (let steps = 0; await world.step(fails, lateMs); steps++)
      assert(steps <= 12, 'it does not come to rest');
    world.checkTrust();
    world.checkExpiry();
  }
}

/** What an API server has, one process, and time. */
class CertificateWorld {
  now = NOW;
  readonly #settings: CertificateSettings;
  readonly #issuer = fakeIssuer();
  /** Authorities of what was ever served with, and until when that may be. */
  readonly #shown = new Map<string, number>();
  #stored: CertificateBundle | undefined;
  #caBundles: readonly string[] = ['', ''];
  /** Since when every write has failed. */
  #failingSince: number | undefined;
  #carried: { readonly id: string | undefined; readonly since: number } | undefined;

  constructor(settings: CertificateSettings) {
    this.#settings = settings;
  }

  /** One look; false when there is nothing more to do before the time that has passed then. */
  async step(fails: boolean, lateMs: number): Promise<boolean> {
    const [stored, caBundles] = [this.#stored, this.#caBundles];
    const carriedMs = this.#carriedFor();
    const paths = { routes: [], routedMs: 0, startedAt: NOW };
    const state = { stored, held: stored, caBundles, carriedMs, ...paths, missingMs: 0, now: this.now };
    const step = planCertificates(state, this.#settings);
    if (step.type === 'wait') {
      assert(step.ms > 0, `it waits for ${step.ms} ms`);
      this.now += step.ms + lateMs;
      return false;
    }
    // Before anything was configured nobody calls.
    if (fails && caBundles[0] !== '') {
      this.#failingSince ??= this.now;
      this.now += this.#settings.leafMs / 50;
      return false;
    }
    await this.#perform(step);
    return true;
  }

  async #perform(step: Exclude<CertificateStep, { type: 'wait' }>): Promise<void> {
    assert(step.type !== 'restore', 'nothing was lost');
    this.#failingSince = undefined;
    if (step.type === 'configure') this.#caBundles = this.#caBundles.map(() => step.caBundle);
    else this.#stored = await changeBundle(this.#stored, step, this.#settings, this.#issuer, this.now);
    const leaf = this.#stored?.leaf;
    if (leaf !== undefined) this.#shown.set(leaf.authority, leaf.notAfter);
  }

  #carriedFor(): number {
    const stored = this.#stored;
    if (stored === undefined || !allCarry(stored, this.#caBundles)) {
      this.#carried = undefined;
      return 0;
    }
    const id = stored.authorities.at(-1)?.id;
    if (this.#carried?.id !== id) this.#carried = { id, since: this.now };
    return this.now - (this.#carried?.since ?? this.now);
  }

  checkTrust(): void {
    for (const [authority, notAfter] of this.#shown) {
      if (notAfter <= this.now) this.#shown.delete(authority);
      else if (!this.#caBundles.every((caBundle) => caBundle.includes(`-${authority}-`)))
        assert.fail(`${authority} is not trusted`);
    }
  }

  /**
   * A certificate is renewed at half of its life, and a look is late by 30 hundredths at most: for a fifth of a life,
   * less the rounding to seconds, writes may fail and harm nobody. After that nothing can help.
   */
  checkExpiry(): void {
    if ((this.#stored?.leaf.notAfter ?? 0) > this.now) return;
    const failedFor = this.#failingSince === undefined ? 0 : this.now - this.#failingSince;
    assert(failedFor >= this.#settings.leafMs / 5 - 1000, 'an expired certificate is shown');
  }
}
