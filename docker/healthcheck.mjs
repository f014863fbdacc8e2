// Exit code 0 if this container's gateway takes requests.
const { PORT = '3000', TLS_CERT_FILE } = process.env;

// The certificate is for the name that clients use, not for the loopback address asked here.
if (TLS_CERT_FILE) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

try {
  const url = `${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT}/health/ready`;
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = response.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
