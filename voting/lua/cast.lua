-- Take ballots of one turn, in order, each at most once.
-- KEYS: box, ballots.  ARGV: epoch the gateway knows, then voter, side, column, sequence a ballot.
-- Answers a number a ballot: 1 counted, 2 counted before, 3 late, 4 unknown, 5 early,
-- or -n: the voter's ballot with the higher sequence n stays.
local box = redis.call('HMGET', KEYS[1], 'epoch', 'opens_at', 'closes_at', 'sealed', 'arrivals', 'red', 'yellow')
local held = redis.call('HLEN', KEYS[2])
local answers = {}
local all = nil
if not box[1] or tonumber(box[1]) < tonumber(ARGV[1])
    or held ~= tonumber(box[6] or 0) + tonumber(box[7] or 0) then
  all = 4
else
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if box[4] == '1' or now >= tonumber(box[3]) then
    all = 3
  elseif now < tonumber(box[2]) then
    all = 5
  end
end
local arrivals = tonumber(box[5] or 0)
local grown = { red = 0, yellow = 0 }
local new = false
for i = 2, #ARGV, 4 do
  local voter, side, column, sequence = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])
  local last = redis.call('HGET', KEYS[2], voter)
  local last_side, last_column, last_sequence = nil, nil, 0
  if last then
    last_side, last_column, last_sequence = string.match(last, '^(%a+) (%d+) (%d+) ')
    last_sequence = tonumber(last_sequence)
  end
  local answer = all
  if last_sequence == sequence and last_column == column then
    answer = 2
  elseif not all and last_sequence >= sequence then
    answer = -last_sequence
  elseif not all then
    answer = 1
    new = true
    arrivals = arrivals + 1
    redis.call('HSET', KEYS[2], voter, string.format('%s %s %d %d', side, column, sequence, arrivals))
    if last_side then
      grown[last_side] = grown[last_side] - 1
    end
    grown[side] = grown[side] + 1
  end
  answers[#answers + 1] = answer
end
if new then
  redis.call('HSET', KEYS[1], 'arrivals', arrivals)
  redis.call('HINCRBY', KEYS[1], 'red', grown.red)
  redis.call('HINCRBY', KEYS[1], 'yellow', grown.yellow)
end
return answers
