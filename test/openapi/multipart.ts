/** The body of an upload: one small text file. */
export const MULTIPART = {
  type: 'multipart/form-data; boundary=boundary',
  body: '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nHello\r\n--boundary--\r\n',
};
