import type { ClassRuntime } from '../api.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { render } from './render.ts';
import type { Rendered, RenderedFor } from './rendering.ts';

/** The settings of a class, and what it is rendered to with these. */
type RenderedClass = { readonly settings: Settings; readonly rendered: Rendered };

export type ClassRenderer = (runtime: ClassRuntime, seen: RenderedFor) => RenderedClass;

/** So many classes, those that were rendered last, are kept: while a class is applied it is looked at after each write. */
const KEPT = 256;

/** {@link render} with the settings of a process: again only when the spec has changed, or what else it depends on. */
export function classRenderer(process: Settings): ClassRenderer {
  const kept = new Map<string, { readonly from: string; readonly made: RenderedClass }>();
  return (runtime, seen) => {
    const { uid, generation } = runtime.metadata;
    const [router] = seen.routers ?? [];
    const from = JSON.stringify([generation, seen.hasKnative, router?.service, router?.port]);
    const last = kept.get(uid);
    // The server raises the generation with each change of the spec.
    if (last?.from === from && generation !== undefined) return last.made;
    const settings = settingsFor(process, runtime);
    const made = { settings, rendered: render(runtime, settings, seen) };
    kept.delete(uid);
    kept.set(uid, { from, made });
    const [oldest = ''] = kept.keys();
    if (kept.size > KEPT) kept.delete(oldest);
    return made;
  };
}
