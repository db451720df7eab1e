// Adds the bearer token for clients that cannot send one. Listens on loopback, prints its port.
// Host and Origin headers that name this proxy are made to name the server; all others pass as they are.
import http from "node:http";

const target = new URL(process.argv[2]);
const token = process.argv[3];

const proxy = http.createServer((request, response) => {
  const own = `:${proxy.address().port}`;
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  for (const name of ["host", "origin"]) {
    if (headers[name]?.endsWith(own)) headers[name] = headers[name].slice(0, -own.length) + `:${target.port}`;
  }
  const upstream = http.request(
    { host: target.hostname, port: target.port, path: request.url, method: request.method, headers, setHost: false },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    },
  );
  upstream.on("error", () => response.destroy());
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
});

proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
