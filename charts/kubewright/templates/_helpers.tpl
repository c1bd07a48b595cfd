{{/* The operators that are on, separated by commas. */}}
{{- define "kubewright.operators" -}}
{{- $names := list -}}
{{- if .Values.operators.capture.enabled }}{{ $names = append $names "capture" }}{{ end -}}
{{- if .Values.operators.classes.enabled }}{{ $names = append $names "classes" }}{{ end -}}
{{- if .Values.operators.drift.enabled }}{{ $names = append $names "drift" }}{{ end -}}
{{- if .Values.operators.migration.enabled }}{{ $names = append $names "migration" }}{{ end -}}
{{- if .Values.operators.ownership.enabled }}{{ $names = append $names "ownership" }}{{ end -}}
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
