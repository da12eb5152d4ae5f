-- Take or renew a dry run's lease on its event, and store its progress. Its last call releases the lease.
-- KEYS: rehearsal.
-- ARGV: run; progress; TTL in ms; longest time without a watcher in ms; last call (1 or 0).
-- Returns 0 if another run holds the lease, 1 to go on, 2 to stop: it was asked to, or nobody watched for too long.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'run', 'watched_at', 'stopped_at')
if held[1] and held[1] ~= ARGV[1] then
  return 0
end
if not held[1] then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'watched_at', now)
  held = { ARGV[1], now, false }
end
redis.call('HSET', KEYS[1], 'progress', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if ARGV[5] == '1' then
  redis.call('HDEL', KEYS[1], 'run')
end
return (held[3] or now - held[2] > tonumber(ARGV[4])) and 2 or 1
