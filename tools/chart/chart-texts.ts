/** Named templates. */
export function helpersTemplate(operators: readonly string[]): string {
  const names = operators.map(
    (name) => `{{- if .Values.operators.${name}.enabled }}{{ $names = append $names "${name}" }}{{ end -}}`,
  );
  return `{{/* The operators that are on, separated by commas. */}}
{{- define "kubewright.operators" -}}
{{- $names := list -}}
${names.join('\n')}
{{- if not $names }}{{ fail "switch on at least one of operators" }}{{ end -}}
{{- join "," $names -}}
{{- end }}

{{/* The image of all containers. */}}
{{- define "kubewright.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}
`;
}

/** What Helm prints after an installation. */
export const NOTES = `The manager runs {{ include "kubewright.operators" . }} in {{ .Release.Namespace }}.

Whether it works, and what to do if not:
  kubewright doctor --namespace {{ .Release.Namespace }}
{{- if .Values.crds.keep }}

"helm uninstall" keeps the CustomResourceDefinitions, and so all checkpoints and requests. What "kubewright uninstall"
would delete it shows first.
{{- end }}
`;
