{{- define "gateway.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "gateway.names" . }}
{{- end }}

{{- define "gateway.names" -}}
app.kubernetes.io/name: messaging-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* What selects the instances, and not the job of the migrations. */}}
{{- define "gateway.selector" -}}
{{ include "gateway.names" . }}
app.kubernetes.io/component: gateway
{{- end }}

{{- define "gateway.secret" -}}
{{- if and (not .Values.secret.existing) (not .Values.secret.values) }}
{{- fail "secret.existing names a Secret with DATABASE_URL and API_KEY_PEPPER, or secret.values has them" }}
{{- end }}
{{- .Values.secret.existing | default .Release.Name }}
{{- end }}

{{/* The one container of every pod, without what it runs. */}}
{{- define "gateway.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- if .Values.sharedFiles.claim }}
  - { name: MEDIA_DIR, value: /media }
  {{- end }}
  {{- with .Values.trustProxy }}
  - name: TRUST_PROXY
    value: {{ . | quote }}
  {{- end }}
  {{- with .Values.files.backupKey }}
  {{- if .secret }}
  - { name: BACKUP_KEY_FILE, value: /etc/messaging-gateway/backup-key/{{ .key }} }
  {{- end }}
  {{- end }}
  {{- with .Values.files.authorities }}
  {{- if .secret }}
  - { name: NODE_EXTRA_CA_CERTS, value: /etc/messaging-gateway/authorities/{{ .key }} }
  {{- end }}
  {{- end }}
envFrom:
  - secretRef: { name: {{ include "gateway.secret" . }} }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- if .Values.sharedFiles.claim }}
  - { name: media, mountPath: /media }
  {{- end }}
  {{- if .Values.files.backupKey.secret }}
  - { name: backup-key, mountPath: /etc/messaging-gateway/backup-key, readOnly: true }
  {{- end }}
  {{- if .Values.files.authorities.secret }}
  - { name: authorities, mountPath: /etc/messaging-gateway/authorities, readOnly: true }
  {{- end }}
{{- end }}

{{- define "gateway.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  # Nothing lasting: the database is elsewhere, and so are backups (BACKUP_S3_URL) and files of messages.
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
  {{- with .Values.sharedFiles.claim }}
  - { name: media, persistentVolumeClaim: { claimName: {{ . }} } }
  {{- end }}
  {{- with .Values.files.backupKey.secret }}
  # The group of the pod (fsGroup) reads it.
  - { name: backup-key, secret: { secretName: {{ . }}, defaultMode: 0440 } }
  {{- end }}
  {{- with .Values.files.authorities.secret }}
  - { name: authorities, secret: { secretName: {{ . }}, defaultMode: 0444 } }
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
