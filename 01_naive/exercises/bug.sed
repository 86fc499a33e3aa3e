s/if (m >= M || n >= N)/if (m >= M || n > N)/
